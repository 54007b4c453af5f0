import type { Settled } from '@affine/settlement'

/** Active validators that attest another state of an epoch than was decided here. */
export interface OtherState {
  /** Ascending. */
  readonly hotkeys: readonly string[]
  /** Their share of the weight that a duel would have now, in ppm. */
  readonly weightPpm: number
}

/** Undefined if there are none. Releases with other constants come to this. Protocol §9.2. */
export function otherState({ before, snapshot, quorum }: Settled): OtherState | undefined {
  const { weights, heard } = quorum
  const weightOf = (hotkey: string): number => weights[hotkey] ?? 0
  const others = snapshot.validators
    .filter(({ hotkey, attest }) => attest?.epoch === before.epoch && !heard.has(hotkey))
    .map(({ hotkey }) => hotkey)
    .filter((hotkey) => weightOf(hotkey) > 0)
    .sort()
  if (others.length === 0) return undefined
  const sumOf = (some: readonly string[]) => some.reduce((sum, each) => sum + weightOf(each), 0)
  const weightPpm = Math.floor((1_000_000 * sumOf(others)) / sumOf(Object.keys(weights)))
  return { hotkeys: others, weightPpm }
}
