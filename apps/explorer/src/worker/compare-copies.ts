import type { State } from '@affine/duel'
import { type Choose, type Flaw, type RecomputeOptions, recompute } from '@affine/settlement'

/** Lanes that are read side by side: while one is checked, others are on their way. */
export const LANES_AT_ONCE = 4

/** What became of comparing an epoch's copies. */
export interface Compared {
  readonly epoch: number
  /** How many copies were asked for. */
  readonly copies: number
  /** All that does not hold in the epoch. */
  readonly flaws: readonly Flaw[]
}

/**
 * Decides the epoch that `state` governs once more, and compares what everybody has who answers for
 * a block. Rejects when it cannot be decided.
 */
export async function compareCopies(data: RecomputeOptions, state: State): Promise<Compared> {
  const { epoch } = state
  let copies = 0
  const choose: Choose = (holders) => {
    copies += holders.length
    return holders
  }
  const reading = { from: state, to: epoch, choose, lanesAtOnce: LANES_AT_ONCE }
  const flaws: Flaw[] = []
  for await (const found of recompute({ ...data, ...reading })) flaws.push(...found.flaws)
  return { epoch, copies, flaws }
}
