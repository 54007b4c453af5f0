import { own } from '@affine/prng'
import { boundsPpm, ceilRoot, holdLine, type Look, PPM, type Proportion } from '@affine/wilson'
import { compare } from './ascending.ts'
import { sumEpochs, type EnvLane, findMedianLane, findOutliers, type Share, toShare } from './outliers.ts'
import type { LaneRule } from './protocol.ts'
import type { Weights } from './state.ts'
import type { Tallies } from './tally.ts'

/**
 * One environment: the weights are those of all voters, in ppm, also of those without a lane;
 * `epochs` are the lanes accepted in each epoch.
 */
export interface Observation {
  readonly weights: Weights
  readonly epochs: readonly Tallies[]
  readonly ratioPpm: number
  readonly rule: LaneRule
}

export interface Evidence {
  /** Hotkeys of the lanes too far from the others, ascending. */
  readonly setAside: readonly string[]
  /** What remains without the third of the weight most favourable to a win, and to a hold. */
  readonly win: WeightedTally
  readonly hold: WeightedTally
  /** What is left of each counted lane's weight in `win` and in `hold`. */
  readonly kept: Readonly<Record<'win' | 'hold', Weights>>
  /** How far the contender leads in `win`, no lane counting for less than the ratio. */
  readonly score: Score
  /** What the lane that is the median by its share of decisive challenges played. */
  readonly median: { readonly trials: number; readonly played: number } | undefined
  readonly rates: Rates
  /** The contender's points, of the challenges played, in its median lane. Protocol §8.11. */
  readonly shown: Share | undefined
  readonly look: Look
}

/** What each miner surely earns of what there is, in ppm. Protocol §8.10. */
export interface Rates {
  readonly contender: number
  readonly champion: number
}

/**
 * One environment, several lanes: a verdict must survive the removal of the third of the weight
 * most favourable to it. So a coalition below a third, lying as it likes and knowing every result,
 * cannot crown a contender more often than the honest lanes would, nor stop one that is clearly
 * better.
 *
 * The third is of all weights, also where there is no lane. Lanes without a weight, and lanes that
 * played nothing, are ignored. The steps are those of Protocol §8.6: trimming, the score, a WIN,
 * else a HOLD; setting lanes aside comes before (§8.5), even ones after. In integers: Protocol
 * §1.5.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, or when a count is not a whole number.
 */
export function judgeEnvironment({ weights, epochs, ratioPpm, rule }: Observation): Evidence {
  const lanes = collectLanes(weights, epochs)
  const outliers = findOutliers(lanes, rule.outlierZSquared)
  const ranked = rankLanes(
    lanes.filter((lane) => !outliers.has(lane)),
    ratioPpm,
  )
  const third = computeThird(weights)
  const kept = { win: trim(ranked, third), hold: trim([...ranked].reverse(), third) }
  const seen = {
    win: sumTally(kept.win),
    hold: sumTally(kept.hold),
    score: computeScore(kept.win, ratioPpm),
  }
  const middle = findMedianLane(lanes, 'trials')
  const contender = findMedianShare(ranked, 'contenderPoints')
  const champion = findMedianShare(ranked, 'championPoints')
  return {
    setAside: [...outliers].map(({ hotkey }) => hotkey).sort(),
    ...seen,
    kept: { win: toWeights(kept.win), hold: toWeights(kept.hold) },
    median: middle && { trials: Number(middle.trials), played: Number(middle.played) },
    rates: { contender: computeRate(contender, rule), champion: computeRate(champion, rule) },
    shown: contender,
    look: evaluate(seen, { ratioPpm, rule }),
  }
}

const toWeights = (kept: KeptLanes): Weights =>
  Object.fromEntries(kept.map(([{ hotkey }, weight]) => [hotkey, Number(weight)]))

/** Of the lane that is the median by these points; undefined without a lane. */
function findMedianShare(
  lanes: readonly EnvLane[],
  kind: 'contenderPoints' | 'championPoints',
): Share | undefined {
  const middle = findMedianLane(lanes, kind)
  return middle && toShare(middle, kind)
}

/** The lower Wilson bound of the points a challenge, in ppm; 0 without a lane. Protocol §8.10. */
function computeRate(share: Share | undefined, { ratchetZSquaredPpm }: LaneRule): number {
  if (share === undefined) return 0
  const proportion = { wins: share.count, trials: share.played * PPM, unit: PPM }
  return boundsPpm({ ...proportion, zSquaredPpm: ratchetZSquaredPpm }).lower
}

/** A WIN by what is left for it, else a HOLD by what is left for that. Protocol §8.6. */
function evaluate(
  seen: Pick<Evidence, 'win' | 'hold' | 'score'>,
  { ratioPpm, rule }: Pick<Observation, 'ratioPpm' | 'rule'>,
): Look {
  if (findWinLack(seen, rule) === undefined) return 'win'
  const { wins, trials, unit } = seen.hold
  return wins <= holdLine({ trials, unit, ratioPpm, rule }) ? 'hold' : 'continue'
}

/** The lanes that have a weight and played. */
function collectLanes(weights: Weights, epochs: readonly Tallies[]): readonly EnvLane[] {
  const lanes = Object.entries(weights).map(([hotkey, ppm]): EnvLane => {
    const seen = epochs.map((tallies) => own(tallies, hotkey))
    return { hotkey, weight: BigInt(ppm), epochs: seen, ...sumEpochs(seen) }
  })
  return lanes.filter(({ weight, played }) => weight > 0n && played > 0n)
}

/** A third of all weights, rounded up. */
function computeThird(weights: Weights): bigint {
  return (Object.values(weights).reduce((sum, ppm) => sum + BigInt(ppm), 0n) + 2n) / 3n
}

/**
 * How far a contender leads, and the variance that chance has there: a win takes a lead of at least
 * z·√spread.
 */
export interface Score {
  readonly lead: bigint
  readonly spread: bigint
}

/** What an environment lacks for a WIN: challenges, a lead, or a large enough one. */
export type WinLack = 'FEW' | 'BEHIND' | 'CLOSE'

/** Returns what is missing for a WIN, or undefined if it is one. Protocol §8.6. */
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
 * The score of what is kept: a lane below the ratio counts as one at it, so a third that says the
 * worst it can is worth no more than one that says nothing. What luck alone adds then, 0.4
 * deviations a lane, is taken off: E max(0, N(0, 1)) is 0.3989. Chance is that of the lanes in
 * which it has most room. Protocol §8.6.
 */
function computeScore(kept: KeptLanes, ratioPpm: number): Score {
  const varianceIn = ({ trials }: EnvLane): bigint => computeVariance(ratioPpm) * trials
  const widest = takeWidest(kept)
  const leading = kept.filter(([lane]) => computeLead(lane, ratioPpm) > 0n)
  const lead = sumKept(leading, (lane) => computeLead(lane, ratioPpm))
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
  return trim(widest, all).map(([lane, left]) => [lane, lane.weight - left])
}

/** The variance of one trial at the ratio, in millionths squared. */
function computeVariance(ratioPpm: number): bigint {
  return BigInt(ratioPpm) * (PPM - BigInt(ratioPpm))
}

/**
 * Counts in `1/unit`: lanes weighted in ppm, so a tally of several validators has `unit` 1_000_000.
 */
export type WeightedTally = Readonly<Record<keyof Proportion, bigint>>

/** A lane and how much of its weight is kept. */
type KeptLanes = readonly (readonly [lane: EnvLane, weight: bigint])[]

/** The wins a lane has over what the ratio asks of it, in millionths. */
function computeLead({ wins, trials }: EnvLane, ratioPpm: number): bigint {
  return wins * PPM - trials * BigInt(ratioPpm)
}

/** The lanes most in favour of the contender first. Protocol §8.6. */
function rankLanes(lanes: readonly EnvLane[], ratioPpm: number): readonly EnvLane[] {
  const lead = (lane: EnvLane): bigint => computeLead(lane, ratioPpm)
  return [...lanes].sort((a, b) => compare(lead(b), lead(a)) || compare(a.hotkey, b.hotkey))
}

/** Trimming: `lanes` without the first `drop` of their weight, the lane on the edge in part. */
function trim(lanes: readonly EnvLane[], drop: bigint): KeptLanes {
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
function sumTally(kept: KeptLanes): WeightedTally {
  const wins = sumKept(kept, (lane) => lane.wins)
  const trials = sumKept(kept, (lane) => lane.trials)
  return { wins, trials, unit: PPM }
}
