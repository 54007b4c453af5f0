import {
  type Evidence,
  expectedIn,
  keptWeights,
  type Report,
  type Score,
  sumTallies,
  type Verdict,
  type Weights,
  waysToWin,
  widened,
} from '@affine/duel'
import { type Bounded, boundsPpm } from '@affine/wilson'

type EnvReport = Report['envs'][string]

/** A rate's interval in ppm. */
export interface Bounds {
  readonly lower: number
  readonly upper: number
}

/** One of the two tallies that decide, in challenges, and the interval that follows from it. */
export interface Decider {
  readonly wins: number
  readonly trials: number
  /** Of a win: the trials that its variance is of. */
  readonly expected: number
  /** Undefined without a trial. */
  readonly bounds: Bounds | undefined
}

/** One validator's lane in an environment, over the duel so far. */
export interface LanePoint {
  readonly validator: string
  readonly wins: number
  readonly losses: number
  readonly played: number
  readonly bounds: Bounds | undefined
  readonly isSetAside: boolean
  /** What is left of its weight in the tally for a win, and in that for a hold, in ppm of it. */
  readonly keptForWin: number
  readonly keptForHold: number
}

/** What an environment that is open came to in an epoch. */
export interface EnvAccount {
  readonly env: string
  readonly given: Verdict | undefined
  /** In the lanes that are not set aside. */
  readonly wins: number
  readonly losses: number
  readonly ties: number
  readonly win: Decider
  readonly hold: Decider
  /** How many deviations the floor is, and how many a win takes. */
  readonly floor: { readonly deviations: number; readonly bar: number }
  readonly ways: readonly string[]
  readonly decisivePpm: number | undefined
  /** Decisive challenges left until the cap, and the cap. */
  readonly left: number
  readonly cap: number
  readonly lanes: readonly LanePoint[]
}

/** An open environment of a duel: what was seen, held against what. */
export interface Seen {
  readonly env: string
  readonly report: EnvReport
  readonly weights: Weights
  readonly ratioPpm: number
}

/** An environment as it may be shown: every interval beside the counts that it follows from. */
export function envAccount(seen: Seen): EnvAccount {
  const { env, report, ratioPpm } = seen
  const { rule, hold, floor, setAside } = report
  const held = decider(hold, { ...hold, zSquaredPpm: rule.zSquaredPpm })
  const counted = Object.entries(report.tallies).filter(([hotkey]) => !setAside.includes(hotkey))
  const { all } = sumTallies(counted.map(([, tally]) => ({ all: tally })))
  const { wins = 0, losses = 0, played = 0 } = all ?? {}
  return {
    env,
    given: report.given,
    wins,
    losses,
    ties: played - wins - losses,
    win: winDecider(report, ratioPpm),
    hold: held,
    floor: { deviations: deviationsOf(floor), bar: Math.sqrt(inMillionths(rule.floorZSquaredPpm)) },
    ways: waysToWin(report, rule),
    decisivePpm: report.decisivePpm,
    left: Math.max(0, rule.cap - held.trials),
    cap: rule.cap,
    lanes: lanePoints(seen),
  }
}

function winDecider({ win, sum, rule }: EnvReport, ratioPpm: number): Decider {
  const bounded = { ...widened(win, sum, ratioPpm), zSquaredPpm: rule.zSquaredPpm }
  return { ...decider(win, bounded), expected: inMillionths(expectedIn(sum, ratioPpm)) }
}

function decider({ wins, trials }: Evidence['win'], bounded: Bounded): Decider {
  const [won, tried] = [inMillionths(wins), inMillionths(trials)]
  return { wins: won, trials: tried, expected: tried, bounds: boundsOf(bounded) }
}

const boundsOf = (bounded: Bounded): Bounds | undefined =>
  Number(bounded.trials) === 0 ? undefined : boundsPpm(bounded)

/** Weighted counts are in millionths. */
const inMillionths = (count: bigint): number => Number(count) / 1_000_000

const deviationsOf = ({ lead, spread }: Score): number =>
  spread === 0n ? 0 : Number(lead) / Math.sqrt(Number(spread))

function lanePoints({ report, weights, ratioPpm }: Seen): readonly LanePoint[] {
  const { tallies, setAside, rule } = report
  const kept = keptWeights(weights, report, ratioPpm)
  const shareIn = (left: Weights, validator: string): number => {
    const weight = weights[validator] ?? 0
    return weight === 0 ? 0 : Math.round((1_000_000 * (left[validator] ?? 0)) / weight)
  }
  return Object.entries(tallies).map(([validator, { wins, losses, played }]) => ({
    validator,
    wins,
    losses,
    played,
    bounds: boundsOf({ wins, trials: wins + losses, zSquaredPpm: rule.zSquaredPpm }),
    isSetAside: setAside.includes(validator),
    keptForWin: shareIn(kept.win, validator),
    keptForHold: shareIn(kept.hold, validator),
  }))
}
