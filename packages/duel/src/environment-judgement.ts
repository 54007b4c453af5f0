import { isHopeless, type Look, PPM } from '@affine/wilson'
import { countOver, type EnvLane, medianLane, outliersOf } from './outliers.ts'
import { own } from './own-keys.ts'
import type { LaneRule } from './protocol.ts'
import type { Weights } from './state.ts'
import type { Tallies } from './tally.ts'
import { weightOf } from './voters.ts'
import {
  floorOf,
  keepWithout,
  rankBy,
  type Score,
  sumOf,
  type WeightedTally,
  waysToWin,
  weigh,
} from './win.ts'

/**
 * One environment: the weights are all of the duel's, in ppm, also of validators without a lane;
 * `epochs` are the lanes accepted in each epoch that counted.
 */
export interface Observed {
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
  /** The two ways to a win: over all lanes, none counting for less than the ratio; and by sums. */
  readonly floor: Score
  readonly sum: Score
  /** Decisive challenges per million in the weight-median lane; undefined without a lane. */
  readonly decisivePpm: number | undefined
  readonly rates: Rates
  readonly look: Look
}

/** What each miner earned of what there was, in ppm. Protocol §8.10. */
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
 * played nothing, are not looked at. Protocol §8.6. In integers throughout: Protocol §1.5.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, or when a count is not a whole number.
 */
export function judgeEnvironment({ weights, epochs, ratioPpm, rule }: Observed): Evidence {
  const lanes = lanesOf(weights, epochs)
  const outliers = outliersOf(lanes, rule.outlierZSquared)
  const ranked = rankBy(
    lanes.filter((lane) => !outliers.has(lane)),
    ratioPpm,
  )
  const third = thirdOf(weights)
  const kept = keepWithout(ranked, third)
  const seen = {
    win: weigh(kept),
    hold: weigh(keepWithout([...ranked].reverse(), third)),
    floor: floorOf(kept, { lanes, third, ratioPpm }),
    sum: sumOf(kept, { lanes, third, ratioPpm }),
  }
  const middle = medianLane(lanes, 'trials')
  return {
    setAside: [...outliers].map(({ hotkey }) => hotkey).sort(),
    ...seen,
    decisivePpm: middle && Number((PPM * middle.trials) / middle.played),
    rates: {
      contender: medianRate(ranked, 'contenderPoints'),
      champion: medianRate(ranked, 'championPoints'),
    },
    look: lookAtBoth(seen, { weights, ratioPpm, rule }),
  }
}

/** What is left of each lane's weight in the two tallies that decide: by hotkey, in ppm. */
export interface KeptWeights {
  readonly win: Weights
  readonly hold: Weights
}

/**
 * Of whose weight, and how much of it, `win` and `hold` of an environment's evidence are made, by
 * what its lanes have seen in all and which were set aside. Protocol §8.6.
 */
export function keptWeights(
  weights: Weights,
  { tallies, setAside }: Pick<Evidence, 'setAside'> & { readonly tallies: Tallies },
  ratioPpm: number,
): KeptWeights {
  const counted = lanesOf(weights, [tallies]).filter(({ hotkey }) => !setAside.includes(hotkey))
  const ranked = rankBy(counted, ratioPpm)
  const without = (lanes: readonly EnvLane[]): Weights =>
    Object.fromEntries(
      keepWithout(lanes, thirdOf(weights)).map(([{ hotkey }, kept]) => [hotkey, Number(kept)]),
    )
  return { win: without(ranked), hold: without([...ranked].reverse()) }
}

/** Points a challenge in the lane that is the median by them; 0 without a lane. Protocol §8.10. */
function medianRate(lanes: readonly EnvLane[], kind: 'contenderPoints' | 'championPoints'): number {
  const middle = medianLane(lanes, kind)
  return middle ? Number(middle[kind] / middle.played) : 0
}

/** A win by what is left for it, else a hold by what is left for that. Protocol §8.6. */
function lookAtBoth(seen: LookTallies, by: Omit<Observed, 'epochs'>): Look {
  const held = isHeld(seen.hold, by)
  if (waysToWin(seen, by.rule).length > 0) return 'win'
  if (held) return 'hold'
  return 'continue'
}

type LookTallies = Pick<Evidence, 'win' | 'hold' | 'floor' | 'sum'>

/** The lanes that have a weight and played. */
function lanesOf(weights: Weights, epochs: readonly Tallies[]): readonly EnvLane[] {
  const lanes = Object.entries(weights).map(([hotkey, ppm]): EnvLane => {
    const seen = epochs.map((tallies) => own(tallies, hotkey))
    return { hotkey, weight: BigInt(ppm), epochs: seen, ...countOver(seen) }
  })
  return lanes.filter(({ weight, played }) => weight > 0n && played > 0n)
}

/** A third of all weights, rounded up. */
function thirdOf(weights: Weights): bigint {
  return (Object.values(weights).reduce((sum, ppm) => sum + BigInt(ppm), 0n) + 2n) / 3n
}

/** What a hold is looked for with. */
interface HoldBasis {
  /** All of the duel's, in ppm. */
  readonly weights: Weights
  readonly ratioPpm: number
  readonly rule: LaneRule
}

/** Decisive challenges that each lane may have before the cap of all can end the environment. */
const LANE_TRIALS = 128n

/**
 * The decisive challenges, in millionths, at which lanes together are a hold: twice the cap of one
 * lane, and more where there are many, whose first epochs would else fill it. Protocol §8.6.
 */
export function holdCapOf(weights: Weights, { cap }: LaneRule): bigint {
  const twice = 2n * BigInt(cap) * PPM
  const ofLanes = LANE_TRIALS * BigInt(weightOf(weights))
  return twice > ofLanes ? twice : ofLanes
}

/** Is it a hold, if it is no win? Protocol §8.6. */
export function isHeld(hold: WeightedTally, { weights, ratioPpm, rule }: HoldBasis): boolean {
  return isHopeless({ ...hold, ratioPpm, rule }) || hold.trials >= holdCapOf(weights, rule)
}
