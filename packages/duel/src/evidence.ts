import { lowerReaches, type Verdict, verdict } from '@affine/wilson'
import type { LaneRule, Protocol } from './protocol.ts'
import { compare, own } from './record.ts'

/**
 * What one validator's lane saw in one environment: challenges played, and those the contender won
 * and lost.
 */
export type Tally = { readonly wins: number; readonly losses: number; readonly played: number }

export const NOTHING: Tally = Object.freeze({ wins: 0, losses: 0, played: 0 })

/** By hotkey. */
export type Tallies = Readonly<Record<string, Tally>>

/**
 * One environment: the weights are all of the duel's, in ppm, also of validators without a lane.
 */
type Observed = Readonly<{
  weights: Record<string, number>
  tallies: Tallies
  ratioPpm: number
  rule: LaneRule
}>

/**
 * Counts in `1/unit`: lanes weighted in ppm, so a tally of several validators has `unit` 1_000_000.
 */
export type WeightedTally = {
  readonly wins: bigint
  readonly trials: bigint
  readonly unit: bigint
}

export interface Evidence {
  /** Hotkeys of the lanes too far from the others, ascending. */
  readonly setAside: readonly string[]
  /** What remains without the third of the weight most favourable to a win, and to a hold. */
  readonly win: WeightedTally
  readonly hold: WeightedTally
  /** Decisive challenges per million in the weight-median lane; undefined without a lane. */
  readonly decisivePpm: number | undefined
  readonly verdict: Verdict
}

type Kind = 'wins' | 'losses' | 'trials'
type Lane = Readonly<Record<Kind | 'weight' | 'played', bigint>> & { readonly hotkey: string }

const PPM = 1_000_000n

/**
 * One environment, several lanes: a verdict must survive the removal of the third of the weight
 * most favourable to it. So a coalition below a third, lying as it likes and knowing every result,
 * cannot crown a contender more often than the honest lanes would. It can delay one that is a
 * little better.
 *
 * The third is of all weights, also where there is no lane. Lanes without a weight, and lanes that
 * played nothing, are not looked at.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, or when a count is not a whole number.
 */
export function evidence({ weights, tallies, ratioPpm, rule }: Observed): Evidence {
  const lanes = Object.entries(weights).flatMap(([hotkey, ppm]) => {
    const { wins, losses, played } = own(tallies, hotkey) ?? NOTHING
    const counts = {
      wins: BigInt(wins),
      losses: BigInt(losses),
      trials: BigInt(wins + losses),
      played: BigInt(played),
    }
    return played > 0 ? [{ hotkey, weight: BigInt(ppm), ...counts }] : []
  })
  const far = (['wins', 'losses'] as const).flatMap((kind) => {
    const middle = median(lanes, kind)
    return lanes.filter((lane) => middle && apart(lane, middle, kind, rule.outlierZSquared))
  })
  const setAside = [...new Set(far.map(({ hotkey }) => hotkey))].sort()

  const lead = (lane: Lane) => lane.wins * PPM - lane.trials * BigInt(ratioPpm)
  const ranked = lanes
    .filter((lane) => !far.includes(lane))
    .sort((a, b) => compare(lead(b), lead(a)) || compare(a.hotkey, b.hotkey))
  const third = (Object.values(weights).reduce((sum, ppm) => sum + BigInt(ppm), 0n) + 2n) / 3n
  const win = trimmed(ranked, third)
  const hold = trimmed(ranked.reverse(), third)
  const wins = verdict({ ...win, ratioPpm, rule }) === 'win'
  // At the cap it is a hold even where the lanes most in favour would, without the others, win.
  const holds =
    hold.trials >= BigInt(rule.cap) * PPM || verdict({ ...hold, ratioPpm, rule }) === 'hold'
  const middle = median(lanes, 'trials')
  const decisivePpm = middle && Number((PPM * middle.trials) / middle.played)
  return { setAside, win, hold, decisivePpm, verdict: wins ? 'win' : holds ? 'hold' : 'continue' }
}

/**
 * The lane at half the lanes' weight, in ascending order of count / played (so the lower of two).
 */
function median(lanes: readonly Lane[], kind: Kind): Lane | undefined {
  const line = [...lanes].sort(
    (a, b) => compare(a[kind] * b.played, b[kind] * a.played) || compare(a.hotkey, b.hotkey),
  )
  let left = lanes.reduce((sum, lane) => sum + lane.weight, 0n)
  return line.find(({ weight }) => {
    left -= 2n * weight
    return left <= 0n
  })
}

/** Are two proportions further apart than `zSquared` allows, under the variance of both pooled? */
function apart(a: Lane, b: Lane, kind: Kind, zSquared: bigint): boolean {
  const [x, q, y, r] = [a[kind], a.played, b[kind], b.played]
  return (x * r - y * q) ** 2n * (q + r) > zSquared * q * r * (x + y) * (q + r - x - y)
}

/**
 * The weighted sums of `lanes` without the first `drop` of their weight, the lane on the line in
 * part.
 */
function trimmed(lanes: readonly Lane[], drop: bigint): WeightedTally {
  let [left, wins, trials] = [drop, 0n, 0n]
  for (const lane of lanes) {
    const dropped = lane.weight < left ? lane.weight : left
    left -= dropped
    wins += (lane.weight - dropped) * lane.wins
    trials += (lane.weight - dropped) * lane.trials
  }
  return { wins, trials, unit: PPM }
}

/** The ratio an epoch later: the excess over the floor halves in about 14 epochs. */
export function decay(ratioPpm: number, { ratioFloorPpm, ratioDecayPpm }: Protocol): number {
  const excess = Math.max(ratioPpm - ratioFloorPpm, 0)
  return ratioFloorPpm + Number((BigInt(excess) * BigInt(ratioDecayPpm)) / PPM)
}

/**
 * The ratio to beat after a contender won with these tallies (WIN-trimmed, one an environment it
 * won): the geometric mean of the lower Wilson bounds in ppm, rounded down, between the protocol's
 * floor and ceiling. Bounds and not rates, so that a lucky 10 of 10 does not lock the throne.
 */
export function ratchet(tallies: readonly WeightedTally[], protocol: Protocol): number {
  const zSquaredPpm = BigInt(protocol.ratchetZSquaredPpm)
  const bounds = tallies.map((tally) =>
    largest((ratioPpm) => lowerReaches({ ...tally, ratioPpm, zSquaredPpm })),
  )
  const product = bounds.reduce(
    (product, bound) => product * BigInt(bound),
    bounds.length === 0 ? 0n : 1n,
  )
  const mean = largest((root) => BigInt(root) ** BigInt(tallies.length) <= product)
  return Math.min(Math.max(mean, protocol.ratioFloorPpm), protocol.ratioCeilingPpm)
}

/**
 * The largest ppm in [1, 999_999] that `holds`, or 0; `holds` must be true below some ppm and false
 * from there.
 */
function largest(holds: (ppm: number) => boolean): number {
  let [yes, no] = [0, 1_000_000]
  while (no - yes > 1) {
    const middle = (yes + no) >> 1
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}
