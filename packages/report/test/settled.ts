import { decide, type Facts, type State } from '@affine/duel'
import type { Recomputed } from '@affine/settlement'

/** Returns a decided epoch without findings; with these lanes, or none. */
export function settledBy(
  before: State,
  facts: Facts,
  lanes: Recomputed['lanes'] = new Map(),
): Recomputed {
  const { snapshot } = facts
  const found = { flaws: [], warnings: [], votes: undefined, lanes }
  return { epoch: before.epoch, before, snapshot, ...decide(before, facts), ...found }
}
