import { verdict } from '@affine/wilson'
import type { Verdict } from './match.ts'
import type { LaneRule } from './protocol.ts'
import type { WeightedTally } from './ratchet.ts'
import { own } from './record.ts'

/** What one validator's lane saw in one environment: challenges played, and those the contender won and lost. */
export type Tally = { readonly wins: number; readonly losses: number; readonly played: number }

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

interface Lane {
  readonly hotkey: string
  readonly weight: bigint
  readonly wins: bigint
  readonly losses: bigint
  readonly trials: bigint
  readonly played: bigint
}

const PPM = 1_000_000n

/**
 * One environment, several lanes: a verdict must survive the removal of the third of the weight most favourable to it.
 * So a coalition below a third, lying as it likes and knowing every result, cannot crown a contender more often than
 * the honest lanes would. It can delay one that is a little better.
 *
 * `weights` are all of the duel's, in ppm, also of validators without a lane: the third is a third of their sum. Lanes of
 * hotkeys without a weight, and lanes that played nothing, are not looked at.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, or when a count is not a whole number.
 */
export function evidence({
  weights,
  tallies,
  ratioPpm,
  rule,
}: {
  readonly weights: Readonly<Record<string, number>>
  readonly tallies: Readonly<Record<string, Tally>>
  readonly ratioPpm: number
  readonly rule: LaneRule
}): Evidence {
  let total = 0n
  const lanes: Lane[] = []
  for (const [hotkey, ppm] of Object.entries(weights)) {
    const weight = BigInt(ppm)
    total += weight
    const tally = own(tallies, hotkey)
    if (tally === undefined || tally.played === 0) continue
    const [wins, losses, played] = [BigInt(tally.wins), BigInt(tally.losses), BigInt(tally.played)]
    lanes.push({ hotkey, weight, wins, losses, trials: wins + losses, played })
  }
  const far = (count: Count) => {
    const middle = median(lanes, count)
    return (lane: Lane) => middle !== undefined && apart(lane, middle, count, rule.outlierZSquared)
  }
  const [farInWins, farInLosses] = [far((lane) => lane.wins), far((lane) => lane.losses)]
  const aside = new Set(lanes.filter((lane) => farInWins(lane) || farInLosses(lane)))

  const ratio = BigInt(ratioPpm)
  const lead = new Map(lanes.map((lane) => [lane, lane.wins * PPM - lane.trials * ratio]))
  const ranked = lanes
    .filter((lane) => !aside.has(lane))
    .sort((a, b) => sign((lead.get(b) ?? 0n) - (lead.get(a) ?? 0n)) || byHotkey(a, b))
  const third = (total + 2n) / 3n
  const win = trimmed(ranked, third)
  const hold = trimmed(ranked.reverse(), third)
  const wins = verdict({ ...win, ratioPpm, rule }) === 'win'
  // At the cap it is a hold even where the lanes most in favour, alone, would win.
  const holds = hold.trials >= BigInt(rule.cap) * PPM || verdict({ ...hold, ratioPpm, rule }) === 'hold'

  const middle = median(lanes, (lane) => lane.trials)
  return {
    setAside: [...aside].map((lane) => lane.hotkey).sort(),
    win,
    hold,
    decisivePpm: middle && Number((PPM * middle.trials) / middle.played),
    verdict: wins ? 'win' : holds ? 'hold' : 'continue',
  }
}

type Count = (lane: Lane) => bigint

/** The lane at half the lanes' weight, in ascending order of count / played (so the lower of two). */
function median(lanes: readonly Lane[], count: Count): Lane | undefined {
  const total = lanes.reduce((sum, lane) => sum + lane.weight, 0n)
  let reached = 0n
  return [...lanes]
    .sort((a, b) => sign(count(a) * b.played - count(b) * a.played) || byHotkey(a, b))
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

const sign = (x: bigint): number => (x > 0n ? 1 : x < 0n ? -1 : 0)
const byHotkey = (a: Lane, b: Lane): number => (a.hotkey < b.hotkey ? -1 : 1)
