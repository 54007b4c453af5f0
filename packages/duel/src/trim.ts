import { PPM } from '@affine/wilson'
import { compare } from './ascending.ts'
import type { EnvLane } from './outliers.ts'

/**
 * Counts in `1/unit`: lanes weighted in ppm, so a tally of several validators has `unit` 1_000_000.
 */
export interface WeightedTally {
  readonly wins: bigint
  readonly trials: bigint
  readonly unit: bigint
}

/** A lane and how much of its weight is kept. */
export type KeptLanes = readonly (readonly [lane: EnvLane, weight: bigint])[]

/** The wins a lane has over what the ratio asks of it, in millionths. */
export function leadOf({ wins, trials }: EnvLane, ratioPpm: number): bigint {
  return wins * PPM - trials * BigInt(ratioPpm)
}

/** The lanes most in favour of the contender first. Protocol §8.6. */
export function rankBy(lanes: readonly EnvLane[], ratioPpm: number): readonly EnvLane[] {
  const lead = (lane: EnvLane): bigint => leadOf(lane, ratioPpm)
  return [...lanes].sort((a, b) => compare(lead(b), lead(a)) || compare(a.hotkey, b.hotkey))
}

/** `lanes` without the first `drop` of their weight, the lane on the line in part. */
export function keepWithout(lanes: readonly EnvLane[], drop: bigint): KeptLanes {
  let left = drop
  return lanes.map((lane) => {
    const kept = lane.weight > left ? lane.weight - left : 0n
    left -= lane.weight - kept
    return [lane, kept]
  })
}

/** The sum over what is kept. */
export function sumKept(kept: KeptLanes, of: (lane: EnvLane) => bigint): bigint {
  return kept.reduce((sum, [lane, weight]) => sum + weight * of(lane), 0n)
}

/** The weighted counts of what is kept. */
export function weigh(kept: KeptLanes): WeightedTally {
  const wins = sumKept(kept, (lane) => lane.wins)
  const trials = sumKept(kept, (lane) => lane.trials)
  return { wins, trials, unit: PPM }
}
