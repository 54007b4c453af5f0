import type { Sample } from '@affine/blocks'
import { type EnvReport, sumTallies, type Weights } from '@affine/duel'
import type { EpochResult, SamplePlace } from '@affine/settlement'
import { type BoundsInput, boundsPpm, ceilRoot, holdLine } from '@affine/wilson'

/** Interval of a rate, in ppm. */
export type Bounds = ReturnType<typeof boundsPpm>

/**
 * The tally that decides a win or a hold, in millionths of a challenge, and the interval of its
 * share of wins, with the z of a win. If the score is positive, the tally for a win has the
 * interval of the score instead, extended to contain the share of wins. The lower end of the
 * score's interval reaches the ratio if and only if the score reaches `bar`.
 */
export interface Decider {
  readonly wins: number
  readonly trials: number
  /** Undefined without a trial. */
  readonly bounds: Bounds | undefined
}

/**
 * The result of an environment in one epoch, over the duel so far. `given` is the verdict of this
 * epoch; `cause` is undefined if the environment was not evaluated.
 */
export interface EnvFacts extends Pick<EnvReport, 'given' | 'cause'> {
  readonly env: string
  readonly ratioPpm: number
  /** Challenges in the lanes that count. */
  readonly wins: number
  readonly losses: number
  readonly ties: number
  readonly win: Decider
  readonly hold: Decider & {
    /** Maximum wins that are a hold, in millionths of a challenge. -1 if even 0 wins are none. */
    readonly most: number
  }
  /** Minimum decisive challenges for a win. */
  readonly minTrials: number
  /**
   * Score in hundredths of a standard deviation, rounded down. Not positive if the contender is
   * behind.
   */
  readonly score: number
  /** Minimum score for a win, in hundredths, rounded up. */
  readonly bar: number
  /** Decisive challenges per million in the median lane. Undefined without a lane. */
  readonly decisivePpm: number | undefined
}

/** An interim analysis of one environment of a duel. */
export interface EnvAnalysis {
  readonly env: string
  readonly report: Omit<EnvReport, 'interimResult'>
  /** Weights of the voters in the epoch. */
  readonly weights: Weights
  readonly ratioPpm: number
}

const MILLION = 1_000_000

/** Reports whether a lane counts in an analysis. Protocol §8.4, §8.5. */
export const isCounted = (
  { report, weights }: Pick<EnvAnalysis, 'report' | 'weights'>,
  validator: string,
): boolean => !report.setAside.includes(validator) && (weights[validator] ?? 0) > 0

export type UncountedReason = 'FROZEN' | 'NOT_ACCEPTED' | 'SET_ASIDE' | 'NO_WEIGHT'

/**
 * Returns the reason that a sample does not count in its epoch; undefined if it counts in a duel. A
 * later epoch may set the sample's lane aside, or count the lane again. Protocol §8.4–8.6.
 */
export function explainUncounted(
  { before: { champion, voters: weights }, report }: EpochResult,
  sample: Sample,
  { validator }: Pick<SamplePlace, 'validator'>,
): UncountedReason | undefined {
  if (report.frozen) return 'FROZEN'
  if (!report.lanes[validator]?.accepted) return 'NOT_ACCEPTED'
  const miner = 'miner' in sample ? sample.miner : sample.contender.miner
  const reports = report.duels
    .filter(({ contender }) => [contender.hotkey, champion?.hotkey].includes(miner))
    .flatMap(({ envs }) => envs[sample.env] ?? [])
  if (reports.some((envReport) => isCounted({ report: envReport, weights }, validator)))
    return undefined
  return (weights[validator] ?? 0) > 0 ? 'SET_ASIDE' : 'NO_WEIGHT'
}

/** Returns counts and intervals of an analysis. Protocol §8.6. */
export function describeEnv(analysis: EnvAnalysis): EnvFacts {
  const { env, report, ratioPpm } = analysis
  const { rule, win, hold, median } = report
  const counted = Object.entries(report.tallies).filter(([hotkey]) => isCounted(analysis, hotkey))
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
    win: { ...convertCounts(win), bounds: winBounds(report, ratioPpm) },
    hold: {
      ...convertCounts(hold),
      bounds: findBounds({ ...hold, zSquaredPpm: rule.floorZSquaredPpm }),
      most: Number(holdLine({ ...hold, ratioPpm, rule })),
    },
    minTrials: rule.minTrials,
    score: scoreHundredths(report.score),
    // The root of millionths is in thousandths.
    bar: Number((ceilRoot(BigInt(rule.floorZSquaredPpm)) + 9n) / 10n),
    decisivePpm: median && Math.floor((MILLION * median.trials) / median.played),
  }
}

const convertCounts = ({ wins, trials }: EnvReport['win']) => ({
  wins: Number(wins),
  trials: Number(trials),
})

/** Returns the interval of a rate. Undefined without a trial. */
export const findBounds = (bounded: BoundsInput): Bounds | undefined =>
  Number(bounded.trials) === 0 ? undefined : boundsPpm(bounded)

/**
 * Returns the interval of the share of wins. With a positive score, the middle of the interval is
 * the ratio plus the lead over the ratio, its ends are z standard deviations away, and the interval
 * is extended to contain the share. Protocol §8.6.
 */
function winBounds(
  { win, score: { lead, spread }, rule }: EnvAnalysis['report'],
  ratioPpm: number,
): Bounds | undefined {
  if (lead <= 0n) return findBounds({ ...win, zSquaredPpm: rule.floorZSquaredPpm })
  const square = BigInt(rule.floorZSquaredPpm) * spread
  const margin = ceilRoot((square + 999_999n) / 1_000_000n)
  // The score counts each lane with ten times its weight.
  const share = (above: bigint): number => Number(above) / Number(10n * win.trials)
  const within = (ppm: number): number => Math.min(Math.max(ppm, 0), MILLION)
  const won = Number(1_000_000n * win.wins) / Number(win.trials)
  return {
    lower: within(Math.floor(Math.min(ratioPpm + share(lead - margin), won))),
    upper: within(Math.ceil(Math.max(ratioPpm + share(lead + margin), won))),
  }
}

/** Returns ⌊100 · lead / √spread⌋, or 0 if `spread` is 0. */
function scoreHundredths({ lead, spread }: EnvReport['score']): number {
  if (spread === 0n) return 0
  const square = 10_000n * lead * lead
  if (lead < 0n) return -Number(ceilRoot((square + spread - 1n) / spread))
  return Number(ceilRoot(square / spread + 1n) - 1n)
}
