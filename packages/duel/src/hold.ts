import { isHopeless, PPM } from '@affine/wilson'
import type { LaneRule } from './protocol.ts'
import type { Weights } from './state.ts'
import type { WeightedTally } from './trim.ts'
import { weightOf } from './voters.ts'

/** What a hold is looked for with. */
interface HoldBasis {
  /** All of the duel's, in ppm. */
  readonly weights: Weights
  readonly ratioPpm: number
  readonly rule: LaneRule
}

/** Decisive challenges that each lane may have before the cap of all can end the environment. */
const LANE_TRIALS = 128n

/**
 * The decisive challenges, in millionths, at which lanes together are a hold: twice the cap of one
 * lane, and more where there are many, whose first epochs would else fill it. Protocol §8.6.
 */
export function holdCapOf(weights: Weights, { cap }: LaneRule): bigint {
  const twice = 2n * BigInt(cap) * PPM
  const ofLanes = LANE_TRIALS * BigInt(weightOf(weights))
  return twice > ofLanes ? twice : ofLanes
}

/** Is it a hold, if it is no win? Protocol §8.6. */
export function isHeld(hold: WeightedTally, { weights, ratioPpm, rule }: HoldBasis): boolean {
  return isHopeless({ ...hold, ratioPpm, rule }) || hold.trials >= holdCapOf(weights, rule)
}
