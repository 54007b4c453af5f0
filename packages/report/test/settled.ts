import { decide, type Facts, type State } from '@affine/duel'
import type { RecomputedEpoch } from '@affine/settlement'

/** Returns a decided epoch without findings. Default for `lanes`: no lanes. */
export function settledBy(
  before: State,
  facts: Facts,
  lanes: RecomputedEpoch['lanes'] = new Map(),
): RecomputedEpoch {
  const { snapshot } = facts
  const found = { flaws: [], warnings: [], votes: undefined, lanes }
  return { epoch: before.epoch, before, snapshot, ...decide(before, facts), ...found }
}
