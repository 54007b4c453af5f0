import { ceilRoot, PPM, type Proportion } from '@affine/wilson'
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

/** What a score is computed against: all lanes, those set aside too, and a third of the weight. */
interface ScoreBasis {
  readonly lanes: readonly EnvLane[]
  readonly third: bigint
  readonly ratioPpm: number
}

/** Is the lead at least z deviations? */
export function isReached({ lead, spread }: Score, zSquaredPpm: bigint): boolean {
  return lead >= 0n && PPM * lead * lead >= zSquaredPpm * spread
}

/** The ways to a win. */
export type Way = 'floor' | 'sum'

/** What a win is looked for in. */
interface WinScores extends Readonly<Record<Way, Score>> {
  readonly win: WeightedTally
}

/** The ways in which it is a win: none if it is not. Protocol §8.6. */
export function waysToWin({ win, floor, sum }: WinScores, rule: LaneRule): readonly Way[] {
  if (win.trials < BigInt(rule.minTrials) * PPM) return []
  const ways: Way[] = []
  if (isReached(floor, rule.floorZSquaredPpm)) ways.push('floor')
  if (isReached(sum, rule.zSquaredPpm)) ways.push('sum')
  return ways
}

/**
 * The score of sums: section 7's, its variance by what lanes should have played. A third that
 * admits to few trials would else make the others' luck look certain. Protocol §8.6.
 */
export function sumOf(kept: KeptLanes, basis: ScoreBasis): Score {
  const lead = sumKept(kept, (lane) => leadOf(lane, basis.ratioPpm))
  return { lead, spread: chanceIn(kept, basis).variance }
}

/** The trials that the variance of a score of sums is of, in millionths. Protocol §8.6. */
export function expectedIn({ spread }: Score, ratioPpm: number): bigint {
  return spread / (PPM * varianceOf(ratioPpm))
}

/**
 * A tally's rate with the variance of its score of sums, so that its Wilson bound reaches the ratio
 * if the sums win: in units of 1/u, Wilson's test (w − nR)² ≥ Z²·n·R(1 − R)
 * with w·n, n·n and Σk²e in the place of w, n and u becomes (w − nR)² ≥ Z²·Σk²e·R(1 − R).
 * Protocol §8.6.
 */
export function widened(
  { wins, trials }: WeightedTally,
  { spread }: Score,
  ratioPpm: number,
): Required<Proportion> {
  return { wins: wins * trials, trials: trials * trials, unit: spread / varianceOf(ratioPpm) }
}

/**
 * The score of the floor: a lane below the ratio counts as one at it, so a third that says the
 * worst it can is worth no more than one that says nothing. What luck alone adds then, 0.4
 * deviations a lane, is taken off: E max(0, N(0, 1)) is 0.3989. Protocol §8.6.
 */
export function floorOf(kept: KeptLanes, basis: ScoreBasis): Score {
  const lead = sumKept(kept, (lane) => larger(leadOf(lane, basis.ratioPpm), 0n))
  const { luck, variance } = chanceIn(kept, basis)
  return { lead: 10n * lead - 4n * luck, spread: 100n * variance }
}

/** What chance does to what is kept, taken of the lanes in which it has most room. */
interface Chance {
  /** The sum of the lanes' deviations. */
  readonly luck: bigint
  readonly variance: bigint
}

function chanceIn(kept: KeptLanes, { lanes, third, ratioPpm }: ScoreBasis): Chance {
  const expected = expectedTrials(lanes, third)
  const varianceIn = (lane: EnvLane): bigint => varianceOf(ratioPpm) * expected(lane)
  const weight = sumKept(kept, () => 1n)
  const counted = kept.map(([lane]) => lane)
  const widest = takeWidest(counted, weight, expected)
  return {
    luck: sumKept(widest, (lane) => ceilRoot(varianceIn(lane))),
    variance: widest.reduce((sum, [lane, taken]) => sum + taken ** 2n * varianceIn(lane), 0n),
  }
}

/** That much weight of the lanes in which chance has most room, whichever were kept. */
function takeWidest(
  lanes: readonly EnvLane[],
  weight: bigint,
  expected: (lane: EnvLane) => bigint,
): KeptLanes {
  const room = (lane: EnvLane): bigint => lane.weight * expected(lane)
  let left = weight
  return [...lanes]
    .sort((a, b) => compare(room(b), room(a)) || compare(a.hotkey, b.hotkey))
    .map((lane) => {
      const taken = smaller(lane.weight, left)
      left -= taken
      return [lane, taken] as const
    })
}

/**
 * The decisive trials a lane should have: at least as many as a third of the weight has, whatever
 * it admits to.
 */
function expectedTrials(lanes: readonly EnvLane[], third: bigint): (lane: EnvLane) => bigint {
  let weight = 0n
  const reaching = [...lanes]
    .sort((a, b) => compare(b.trials, a.trials))
    .find((lane) => {
      weight += lane.weight
      return weight >= third
    })
  const least = reaching?.trials ?? 0n
  return ({ trials }) => larger(trials, least)
}

/** The variance of one trial at the ratio, in millionths squared. */
function varianceOf(ratioPpm: number): bigint {
  return BigInt(ratioPpm) * (PPM - BigInt(ratioPpm))
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
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
