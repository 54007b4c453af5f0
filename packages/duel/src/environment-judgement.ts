import { own } from '@affine/prng'
import {
  boundsPpm,
  ceilRoot,
  holdLine,
  type InterimResult,
  PPM,
  type Proportion,
} from '@affine/wilson'
import { compare } from './ascending.ts'
import type { LaneRule } from './protocol.ts'
import type { Weights } from './state.ts'
import type { Tallies, Tally } from './tally.ts'

/** The lanes of one environment. */
export interface Observation {
  /** Weights in ppm of all voters, with or without a lane. */
  readonly weights: Weights
  /** Accepted lanes by epoch. */
  readonly epochs: readonly Tallies[]
  readonly ratioPpm: number
  readonly rule: LaneRule
}

export interface Evidence {
  /** Hotkeys of the outliers, ascending. */
  readonly setAside: readonly string[]
  /** Sum of the lanes without the third of the weight that favours a win most. */
  readonly win: WeightedTally
  /** Sum of the lanes without the third of the weight that favours a hold most. */
  readonly hold: WeightedTally
  /**
   * The contender's lead in the lanes of `win`, where a lane below the ratio counts as a lane at
   * the ratio.
   */
  readonly score: Score
  /** Counts of the lane with the median share of decisive challenges; undefined without lanes. */
  readonly median: { readonly trials: number; readonly played: number } | undefined
  readonly rates: Rates
  /** The contender's median share of points; undefined without lanes. Protocol §8.11. */
  readonly shown: Share | undefined
  readonly interimResult: InterimResult
}

/** Lower bounds of each miner's points per challenge, in ppm. Protocol §8.10. */
export type Rates = Readonly<Record<'contender' | 'champion', number>>

/**
 * Judges one environment by several lanes. A verdict must remain without the third of the weight
 * that favours it most: a third of the weight of all voters, with or without a lane. Lanes without
 * weight or challenges are ignored, and outliers are set aside (Protocol §8.5). Then follow the
 * steps of Protocol §8.6: trimming, the score, a WIN, otherwise a HOLD. All arithmetic is on
 * integers: Protocol §1.5.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, or if a count is not a whole number.
 */
export function judgeEnvironment({ weights, epochs, ratioPpm, rule }: Observation): Evidence {
  const lanes = collectLanes(weights, epochs)
  const outliers = findOutliers(lanes, rule.outlierZSquared)
  const ranked = rankLanes(
    lanes.filter((lane) => !outliers.has(lane)),
    ratioPpm,
  )
  const all = Object.values(weights).reduce((sum, ppm) => sum + BigInt(ppm), 0n)
  const third = (all + 2n) / 3n
  const winning = trim(ranked, third)
  const seen = {
    win: sumTally(winning),
    hold: sumTally(trim([...ranked].reverse(), third)),
    score: computeScore(winning, ratioPpm),
  }
  const middle = findMedian(lanes, 'trials')
  const contender = findMedianShare(ranked, 'contenderPoints')
  const champion = findMedianShare(ranked, 'championPoints')
  return {
    setAside: [...outliers].map(({ hotkey }) => hotkey).sort(),
    ...seen,
    median: middle && { trials: Number(middle.trials), played: Number(middle.played) },
    rates: { contender: computeRate(contender, rule), champion: computeRate(champion, rule) },
    shown: contender,
    interimResult: evaluate(seen, { ratioPpm, rule }),
  }
}

/** Returns the share of points in the median lane by that share; undefined without a lane. */
function findMedianShare(
  lanes: readonly EnvLane[],
  kind: 'contenderPoints' | 'championPoints',
): Share | undefined {
  const middle = findMedian(lanes, kind)
  return middle && toShare(middle, kind)
}

/**
 * Returns the lower Wilson bound of the points per challenge, in ppm; 0 without a lane. Protocol
 * §8.10.
 */
function computeRate(share: Share | undefined, { ratchetZSquaredPpm }: LaneRule): number {
  if (share === undefined) return 0
  const proportion = { wins: share.count, trials: share.played * PPM, unit: PPM }
  return boundsPpm({ ...proportion, zSquaredPpm: ratchetZSquaredPpm }).lower
}

/**
 * Returns `win` by the tally and score trimmed for a win, otherwise `hold` by the tally trimmed for
 * a hold, otherwise `continue`. Protocol §8.6.
 */
function evaluate(
  seen: Pick<Evidence, 'win' | 'hold' | 'score'>,
  { ratioPpm, rule }: Pick<Observation, 'ratioPpm' | 'rule'>,
): InterimResult {
  const { wins, trials, unit } = seen.hold
  const most = holdLine({ trials, unit, ratioPpm, rule }) // rejects a ratio out of range
  if (findWinLack(seen, rule) === undefined) return 'win'
  return wins <= most ? 'hold' : 'continue'
}

/** Returns the lanes with weight and challenges. */
function collectLanes(weights: Weights, epochs: readonly Tallies[]): readonly EnvLane[] {
  const lanes = Object.entries(weights).map(([hotkey, ppm]): EnvLane => {
    const seen = epochs.map((tallies) => own(tallies, hotkey))
    return { hotkey, weight: BigInt(ppm), epochs: seen, ...sumEpochs(seen) }
  })
  return lanes.filter(({ weight, played }) => weight > 0n && played > 0n)
}

/** A contender's lead, and its variance by chance. A win needs a lead of at least z·√spread. */
export type Score = Readonly<Record<'lead' | 'spread', bigint>>

export type WinLack = 'FEW' | 'BEHIND' | 'CLOSE'

/**
 * Returns the missing condition for a WIN: challenges, a lead, or a larger lead. Undefined if none
 * is missing. Protocol §8.6.
 */
export function findWinLack(
  { win, score: { lead, spread } }: { readonly win: WeightedTally; readonly score: Score },
  { minTrials, floorZSquaredPpm }: LaneRule,
): WinLack | undefined {
  if (win.trials < BigInt(minTrials) * PPM) return 'FEW'
  if (lead < 0n) return 'BEHIND'
  if (PPM * lead * lead >= BigInt(floorZSquaredPpm) * spread) return undefined
  return lead === 0n ? 'BEHIND' : 'CLOSE'
}

/**
 * Returns the score of the trimmed lanes. A lane below the ratio counts as a lane at the ratio, so
 * lies take no more from the lead than absence does; a lying lane still adds to the variance.
 * Because no lane counts less, luck adds E max(0, N(0, 1)) = 0.3989 deviations a lane, so 0.4 a
 * lane are subtracted. The variance is the largest that lanes of this weight can have. Protocol
 * §8.6.
 */
function computeScore(trimmed: TrimmedLanes, ratioPpm: number): Score {
  const [rate, other] = [BigInt(ratioPpm), PPM - BigInt(ratioPpm)]
  // In squared millionths of a trial.
  const varianceIn = ({ trials }: EnvLane): bigint => rate * other * trials
  const widest = takeWidest(trimmed)
  const leading = trimmed.filter(([lane]) => computeLead(lane, ratioPpm) > 0n)
  const lead = sumTrimmed(leading, (lane) => computeLead(lane, ratioPpm))
  const luck = sumTrimmed(widest, (lane) => ceilRoot(varianceIn(lane)))
  const variance = widest.reduce((sum, [lane, taken]) => sum + taken ** 2n * varianceIn(lane), 0n)
  return { lead: 10n * lead - 4n * luck, spread: 100n * variance }
}

/** Returns the lanes with the largest variance, up to the weight of `trimmed`. */
function takeWidest(trimmed: TrimmedLanes): TrimmedLanes {
  const all = sumTrimmed(trimmed, () => 1n)
  const widest = trimmed
    .map(([lane]) => lane)
    .sort(
      (a, b) => compare(b.weight * b.trials, a.weight * a.trials) || compare(a.hotkey, b.hotkey),
    )
  return trim(widest, all).map(([lane, left]) => [lane, lane.weight - left])
}

/**
 * Numbers of wins and trials, in units of 1 / `unit` of a trial. For weighted lanes the field
 * `unit` is 1_000_000.
 */
export type WeightedTally = Readonly<Record<keyof Proportion, bigint>>

/** Lanes and the weight that trimming leaves them. */
type TrimmedLanes = readonly (readonly [lane: EnvLane, weight: bigint])[]

/** Returns a lane's wins above the ratio, in millionths. */
function computeLead({ wins, trials }: EnvLane, ratioPpm: number): bigint {
  return wins * PPM - trials * BigInt(ratioPpm)
}

/** Returns the lanes by the contender's lead, descending. Protocol §8.6. */
function rankLanes(lanes: readonly EnvLane[], ratioPpm: number): readonly EnvLane[] {
  const lead = (lane: EnvLane): bigint => computeLead(lane, ratioPpm)
  return [...lanes].sort((a, b) => compare(lead(b), lead(a)) || compare(a.hotkey, b.hotkey))
}

/** Removes the weight `drop` from the first lanes. The last of them may lose only a part. */
function trim(lanes: readonly EnvLane[], drop: bigint): TrimmedLanes {
  let left = drop
  return lanes.map((lane) => {
    const weight = lane.weight > left ? lane.weight - left : 0n
    left -= lane.weight - weight
    return [lane, weight]
  })
}

function sumTrimmed(trimmed: TrimmedLanes, measure: (lane: EnvLane) => bigint): bigint {
  return trimmed.reduce((sum, [lane, weight]) => sum + weight * measure(lane), 0n)
}

function sumTally(trimmed: TrimmedLanes): WeightedTally {
  const wins = sumTrimmed(trimmed, (lane) => lane.wins)
  const trials = sumTrimmed(trimmed, (lane) => lane.trials)
  return { wins, trials, unit: PPM }
}

/** Counts compared between lanes; `trials` are wins and losses. */
type LaneQuantity = 'wins' | 'losses' | 'trials' | 'contenderPoints' | 'championPoints'

type LaneCounts = Readonly<Record<LaneQuantity | 'played', bigint>>

/** A validator's lane in one environment over the epochs of a duel, with its weight in ppm. */
type EnvLane = LaneCounts & {
  readonly hotkey: string
  readonly weight: bigint
  /** One tally an epoch; undefined if the lane was not accepted. */
  readonly epochs: readonly (Tally | undefined)[]
}

/** Returns the sums of a lane's counts over the wanted epochs. */
function sumEpochs(
  epochs: EnvLane['epochs'],
  isWanted: (epoch: number) => boolean = () => true,
): LaneCounts {
  const wanted = epochs.filter((_, epoch) => isWanted(epoch))
  const sumOf = (key: keyof Tally) =>
    wanted.reduce((sum, tally) => sum + BigInt(tally?.[key] ?? 0), 0n)
  const wins = sumOf('wins')
  const losses = sumOf('losses')
  const trials = wins + losses
  const [contenderPoints, championPoints] = [sumOf('contenderPoints'), sumOf('championPoints')]
  return { wins, losses, trials, played: sumOf('played'), contenderPoints, championPoints }
}

/**
 * Returns the lanes whose share of wins or of losses is more than √`zSquared` deviations from the
 * median lane's share. Only epochs that both lanes have are compared, so a missed epoch does not
 * make an outlier. Protocol §8.5.
 */
function findOutliers(lanes: readonly EnvLane[], zSquared: number): ReadonlySet<EnvLane> {
  const apart = new Set<EnvLane>()
  const firstOf = new Map([...lanes].reverse().map((lane) => [markEpochs(lane), lane]))
  for (const [presence, first] of firstOf) {
    const group = lanes.filter((lane) => markEpochs(lane) === presence)
    const sharing = lanes.map((lane) => ({ ...lane, ...sumSharedEpochs(lane, first) }))
    const peers = sharing.filter(({ played }) => played > 0n)
    for (const kind of ['wins', 'losses'] as const) {
      const median = findMedian(peers, kind)
      const isApart = (lane: EnvLane): boolean =>
        median !== undefined &&
        areApart(toShare(sumSharedEpochs(lane, median), kind), toShare(median, kind), { zSquared })
      for (const lane of group.filter(isApart)) apart.add(lane)
    }
  }
  return apart
}

/** Returns the counts of `lane` over the epochs that both lanes have. */
function sumSharedEpochs(lane: EnvLane, other: EnvLane): LaneCounts {
  if (markEpochs(lane) === markEpochs(other)) return lane
  return sumEpochs(lane.epochs, (epoch) => other.epochs[epoch] !== undefined)
}

/** Returns the epochs that a lane has, as a text of 0 and 1. */
const markEpochs = ({ epochs }: EnvLane): string => epochs.map((tally) => (tally ? 1 : 0)).join('')

/**
 * Returns the lane at half of the lanes' weight, in ascending order of count / played; of two lanes
 * at half, the lower one. Undefined without a lane. Protocol §8.5.
 */
function findMedian(lanes: readonly EnvLane[], kind: LaneQuantity): EnvLane | undefined {
  const ascending = [...lanes].sort(
    (a, b) => compare(a[kind] * b.played, b[kind] * a.played) || compare(a.hotkey, b.hotkey),
  )
  const all = lanes.reduce((sum, { weight }) => sum + weight, 0n)
  let below = 0n
  return ascending.find(({ weight }) => {
    below += weight
    return 2n * below >= all
  })
}

/** A count, and the number of challenges played. */
export type Share = Readonly<Record<'count' | 'played', bigint>>

const toShare = (lane: LaneCounts, kind: LaneQuantity): Share => ({
  count: lane[kind],
  played: lane.played,
})

/**
 * Reports whether two proportions differ by more than `zSquared` allows, under their pooled
 * variance. A challenge adds at most `unit` to a count. Protocol §8.5.
 */
export function areApart(
  { count: x, played: q }: Share,
  { count: y, played: r }: Share,
  { zSquared, unit = 1n }: { readonly zSquared: number; readonly unit?: bigint },
): boolean {
  const all = unit * (q + r)
  return (x * r - y * q) ** 2n * (q + r) > BigInt(zSquared) * q * r * (x + y) * (all - x - y)
}
