import { type Verdict, verdict } from '@affine/wilson'
import type { LaneRule } from './protocol.ts'
import type { WeightedTally } from './ratchet.ts'
import { compare, own } from './record.ts'

/** What one validator's lane saw in one environment: challenges played, and those the contender won and lost. */
export type Tally = { readonly wins: number; readonly losses: number; readonly played: number }

export const NOTHING: Tally = Object.freeze({ wins: 0, losses: 0, played: 0 })

/** One environment: the weights are all of the duel's, in ppm, also of validators without a lane. */
interface Observed {
  readonly weights: Readonly<Record<string, number>>
  readonly tallies: Readonly<Record<string, Tally>>
  readonly ratioPpm: number
  readonly rule: LaneRule
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

type Lane = Readonly<Record<'weight' | 'wins' | 'losses' | 'trials' | 'played', bigint>> & { readonly hotkey: string }
type Count = (lane: Lane) => bigint

const PPM = 1_000_000n

/**
 * One environment, several lanes: a verdict must survive the removal of the third of the weight most favourable to it.
 * So a coalition below a third, lying as it likes and knowing every result, cannot crown a contender more often than
 * the honest lanes would. It can delay one that is a little better.
 *
 * The third is of all weights, also where there is no lane. Lanes without a weight, and lanes that played nothing, are not
 * looked at.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, or when a count is not a whole number.
 */
export function evidence({ weights, tallies, ratioPpm, rule }: Observed): Evidence {
  const lanes = Object.entries(weights).flatMap(([hotkey, ppm]) => {
    const { wins, losses, played } = own(tallies, hotkey) ?? NOTHING
    const counts = { wins: BigInt(wins), losses: BigInt(losses), trials: BigInt(wins + losses), played: BigInt(played) }
    return played > 0 ? [{ hotkey, weight: BigInt(ppm), ...counts }] : []
  })
  const far = (count: Count) => {
    const middle = median(lanes, count)
    return (lane: Lane) => middle !== undefined && apart(lane, middle, count, rule.outlierZSquared)
  }
  const [farInWins, farInLosses] = [far((lane) => lane.wins), far((lane) => lane.losses)]
  const setAside = lanes.filter((lane) => farInWins(lane) || farInLosses(lane)).map(({ hotkey }) => hotkey)

  const lead = (lane: Lane) => lane.wins * PPM - lane.trials * BigInt(ratioPpm)
  const ranked = lanes
    .filter(({ hotkey }) => !setAside.includes(hotkey))
    .sort((a, b) => compare(lead(b), lead(a)) || compare(a.hotkey, b.hotkey))
  const third = (Object.values(weights).reduce((sum, ppm) => sum + BigInt(ppm), 0n) + 2n) / 3n
  const win = trimmed(ranked, third)
  const hold = trimmed(ranked.reverse(), third)
  const wins = verdict({ ...win, ratioPpm, rule }) === 'win'
  // At the cap it is a hold even where the lanes most in favour would, without the others, win.
  const holds = hold.trials >= BigInt(rule.cap) * PPM || verdict({ ...hold, ratioPpm, rule }) === 'hold'
  const middle = median(lanes, (lane) => lane.trials)
  const decisivePpm = middle && Number((PPM * middle.trials) / middle.played)
  return { setAside: setAside.sort(), win, hold, decisivePpm, verdict: wins ? 'win' : holds ? 'hold' : 'continue' }
}

/** The lane at half the lanes' weight, in ascending order of count / played (so the lower of two). */
function median(lanes: readonly Lane[], count: Count): Lane | undefined {
  const total = lanes.reduce((sum, lane) => sum + lane.weight, 0n)
  let reached = 0n
  return [...lanes]
    .sort((a, b) => compare(count(a) * b.played, count(b) * a.played) || compare(a.hotkey, b.hotkey))
    .find(({ weight }) => {
      reached += weight
      return 2n * reached >= total
    })
}

/** Are two proportions further apart than `zSquared` allows, under the variance of both pooled? */
function apart(a: Lane, b: Lane, count: Count, zSquared: bigint): boolean {
  const [x, q, y, r] = [count(a), a.played, count(b), b.played]
  return (x * r - y * q) ** 2n * (q + r) > zSquared * q * r * (x + y) * (q + r - x - y)
}

/** The weighted sums of `lanes` without the first `drop` of their weight, the lane on the line in part. */
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
