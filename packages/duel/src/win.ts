import { ceilRoot, PPM } from '@affine/wilson'
import { compare } from './ascending.ts'
import type { EnvLane } from './outliers.ts'
import type { LaneRule } from './protocol.ts'

/**
 * How far a contender leads, and the variance that chance has there: a win takes a lead of at least
 * z·√spread.
 */
export interface Score {
  readonly lead: bigint
  readonly spread: bigint
}

/** Is it a win? Protocol §8.6. */
export function isWin(
  { win, score: { lead, spread } }: { readonly win: WeightedTally; readonly score: Score },
  { minTrials, floorZSquaredPpm }: LaneRule,
): boolean {
  if (win.trials < BigInt(minTrials) * PPM) return false
  return lead >= 0n && PPM * lead * lead >= BigInt(floorZSquaredPpm) * spread
}

/**
 * The score of what is kept: a lane below the ratio counts as one at it, so a third that says the
 * worst it can is worth no more than one that says nothing. What luck alone adds then, 0.4
 * deviations a lane, is taken off: E max(0, N(0, 1)) is 0.3989. Chance is that of the lanes in
 * which it has most room. Protocol §8.6.
 */
export function scoreOf(kept: KeptLanes, ratioPpm: number): Score {
  const varianceIn = ({ trials }: EnvLane): bigint => varianceOf(ratioPpm) * trials
  const widest = takeWidest(kept)
  const leading = kept.filter(([lane]) => leadOf(lane, ratioPpm) > 0n)
  const lead = sumKept(leading, (lane) => leadOf(lane, ratioPpm))
  const luck = sumKept(widest, (lane) => ceilRoot(varianceIn(lane)))
  const variance = widest.reduce((sum, [lane, taken]) => sum + taken ** 2n * varianceIn(lane), 0n)
  return { lead: 10n * lead - 4n * luck, spread: 100n * variance }
}

/** As much weight of the lanes in which chance has most room, whichever were kept. */
function takeWidest(kept: KeptLanes): KeptLanes {
  const all = sumKept(kept, () => 1n)
  const widest = kept
    .map(([lane]) => lane)
    .sort(
      (a, b) => compare(b.weight * b.trials, a.weight * a.trials) || compare(a.hotkey, b.hotkey),
    )
  return keepWithout(widest, all).map(([lane, left]) => [lane, lane.weight - left])
}

/** The variance of one trial at the ratio, in millionths squared. */
function varianceOf(ratioPpm: number): bigint {
  return BigInt(ratioPpm) * (PPM - BigInt(ratioPpm))
}

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
function leadOf({ wins, trials }: EnvLane, ratioPpm: number): bigint {
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
function sumKept(kept: KeptLanes, of: (lane: EnvLane) => bigint): bigint {
  return kept.reduce((sum, [lane, weight]) => sum + weight * of(lane), 0n)
}

/** The weighted counts of what is kept. */
export function weigh(kept: KeptLanes): WeightedTally {
  const wins = sumKept(kept, (lane) => lane.wins)
  const trials = sumKept(kept, (lane) => lane.trials)
  return { wins, trials, unit: PPM }
}
