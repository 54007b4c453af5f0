/** Which copies a run leaves out: none, some of the blocks, or all but the first it reads. */
export type Uncompared = 'NONE' | 'SOME' | 'ALL_BUT_ONE'

/** Whether everything holds, only what was compared, or not everything. */
export type Conclusion = 'HOLDS' | 'COMPARED_HOLDS' | 'FLAWED'

/** Returns what can be concluded from the flaws that were found. */
export function conclusionOf({
  flaws,
  uncompared,
}: {
  readonly flaws: number
  readonly uncompared: Uncompared
}): Conclusion {
  if (flaws > 0) return 'FLAWED'
  return uncompared === 'NONE' ? 'HOLDS' : 'COMPARED_HOLDS'
}
