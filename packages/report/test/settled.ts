import { decide, type Facts, type State } from '@affine/duel'
import type { Recomputed } from '@affine/settlement'

/** An epoch as it is decided, in which nothing was found; of its lanes none was read, or these. */
export function settledBy(
  before: State,
  facts: Facts,
  lanes: Recomputed['lanes'] = new Map(),
): Recomputed {
  const { snapshot } = facts
  const found = { flaws: [], warnings: [], votes: undefined, lanes }
  return { epoch: before.epoch, before, snapshot, ...decide(before, facts), ...found }
}
