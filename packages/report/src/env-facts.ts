import {
  type EnvReport,
  type Score,
  sumTallies,
  type Verdict,
  type VerdictCause,
  type Weights,
} from '@affine/duel'
import { type Bounded, boundsPpm, ceilRoot, holdLine } from '@affine/wilson'

/** A rate's interval in ppm. */
export interface Bounds {
  readonly lower: number
  readonly upper: number
}

/**
 * One of the two tallies that decide, in millionths of a challenge, and an interval with the z of a
 * win, in which its share lies: the share's own; for a win with a score above 0 the score's, wide
 * enough for the share, so that it reaches the ratio from above where that wins.
 */
export interface Decider {
  readonly wins: number
  readonly trials: number
  /** Undefined without a trial. */
  readonly bounds: Bounds | undefined
}

/** One validator's lane in an environment, over the duel so far. */
export interface EnvLaneFacts {
  readonly validator: string
  readonly wins: number
  readonly losses: number
  readonly isSetAside: boolean
  /** Its weight in this epoch, in ppm; a lane without weight does not count. */
  readonly weight: number
  /** The part of its weight that is left after trimming, for a win and for a hold, in ppm. */
  readonly keptForWin: number
  readonly keptForHold: number
}

/** The result of an open environment in an epoch, over the duel so far. */
export interface EnvFacts {
  readonly env: string
  readonly ratioPpm: number
  /** The verdict that it got in this epoch. */
  readonly given: Verdict | undefined
  /** The rule that gave it, or what is missing; undefined if the environment was not judged. */
  readonly cause: VerdictCause | undefined
  /** In the lanes that count. */
  readonly wins: number
  readonly losses: number
  readonly ties: number
  readonly win: Decider
  readonly hold: Decider & {
    /** The most wins that are a hold, in millionths; negative if none are. */
    readonly most: number
  }
  /** The fewest decisive challenges that a win takes. */
  readonly minTrials: number
  /**
   * The score in hundredths of a deviation, rounded down, and the bar for a win, rounded up. With a
   * score of 0 or less the contender is behind.
   */
  readonly score: number
  readonly bar: number
  /** Decisive challenges per million in the median lane; undefined without a lane. */
  readonly decisivePpm: number | undefined
}

/** A look at an environment of a duel: the evidence, and the ratio to beat. */
export interface EnvLook {
  readonly env: string
  readonly report: Omit<EnvReport, 'look'>
  /** What the voters weigh in the epoch. */
  readonly weights: Weights
  readonly ratioPpm: number
}

const MILLION = 1_000_000

/** Does a lane count in an environment, by the last look at it? Protocol §8.4, §8.5. */
export const doesCount = (
  { report, weights }: Pick<EnvLook, 'report' | 'weights'>,
  validator: string,
): boolean => !report.setAside.includes(validator) && (weights[validator] ?? 0) > 0

/** A look with every interval beside the counts that it follows from. Protocol §8.6. */
export function envFacts(look: EnvLook): EnvFacts {
  const { env, report, ratioPpm } = look
  const { rule, win, hold, median } = report
  const counted = Object.entries(report.tallies).filter(([hotkey]) => doesCount(look, hotkey))
  const { all } = sumTallies(counted.map(([, tally]) => ({ all: tally })))
  const { wins = 0, losses = 0, played = 0 } = all ?? {}
  return {
    env,
    ratioPpm,
    given: report.given,
    cause: report.cause,
    wins,
    losses,
    ties: played - wins - losses,
    win: { ...countsOf(win), bounds: winBounds(report, ratioPpm) },
    hold: {
      ...countsOf(hold),
      bounds: boundsOf({ ...hold, zSquaredPpm: rule.floorZSquaredPpm }),
      most: Number(holdLine({ ...hold, ratioPpm, rule })),
    },
    minTrials: rule.minTrials,
    score: hundredthsOf(report.score),
    bar: barOf(rule.floorZSquaredPpm),
    decisivePpm: median && Math.floor((MILLION * median.trials) / median.played),
  }
}

const countsOf = ({ wins, trials }: EnvReport['win']) => ({
  wins: Number(wins),
  trials: Number(trials),
})

/** The interval of a rate; undefined without a trial. */
export const boundsOf = (bounded: Bounded): Bounds | undefined =>
  Number(bounded.trials) === 0 ? undefined : boundsPpm(bounded)

/**
 * The share's interval; with a score above 0, the ratio plus the score with z deviations each way,
 * and the share. Protocol §8.6.
 */
function winBounds(
  { win, score: { lead, spread }, rule }: EnvLook['report'],
  ratioPpm: number,
): Bounds | undefined {
  if (lead <= 0n) return boundsOf({ ...win, zSquaredPpm: rule.floorZSquaredPpm })
  const square = BigInt(rule.floorZSquaredPpm) * spread
  const margin = ceilRoot((square + 999_999n) / 1_000_000n)
  // Of every lane ten times its weight is counted.
  const share = (above: bigint): number => Number(above) / Number(10n * win.trials)
  const within = (ppm: number): number => Math.min(Math.max(ppm, 0), MILLION)
  const won = Number(1_000_000n * win.wins) / Number(win.trials)
  return {
    lower: within(Math.floor(Math.min(ratioPpm + share(lead - margin), won))),
    upper: within(Math.ceil(Math.max(ratioPpm + share(lead + margin), won))),
  }
}

/** A root of millionths is in thousandths. */
const barOf = (zSquaredPpm: number): number => Number((ceilRoot(BigInt(zSquaredPpm)) + 9n) / 10n)

/** ⌊100 · lead / √spread⌋ */
function hundredthsOf({ lead, spread }: Score): number {
  if (spread === 0n) return 0
  const square = 10_000n * lead * lead
  if (lead < 0n) return -Number(ceilRoot((square + spread - 1n) / spread))
  return Number(ceilRoot(square / spread + 1n) - 1n)
}

/** The lanes of a look, by validator ascending. */
export function envLaneFacts({
  report,
  weights,
}: Pick<EnvLook, 'report' | 'weights'>): readonly EnvLaneFacts[] {
  const { kept } = report
  const shareIn = (left: Weights, validator: string): number => {
    const weight = weights[validator] ?? 0
    return weight === 0 ? 0 : Math.round((MILLION * (left[validator] ?? 0)) / weight)
  }
  return Object.entries(report.tallies).map(([validator, { wins, losses }]) => ({
    validator,
    wins,
    losses,
    isSetAside: report.setAside.includes(validator),
    weight: weights[validator] ?? 0,
    keptForWin: shareIn(kept.win, validator),
    keptForHold: shareIn(kept.hold, validator),
  }))
}
