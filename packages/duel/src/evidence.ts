import { type Contest, type Look, lookAt } from '@affine/wilson'
import { type Lane, medianLane, outliersOf } from './outliers.ts'
import type { LaneRule } from './protocol.ts'
import { compare, own } from './record.ts'
import { NOTHING, type Tallies } from './tally.ts'

/**
 * One environment: the weights are all of the duel's, in ppm, also of validators without a lane.
 */
export interface Observed {
  readonly weights: Readonly<Record<string, number>>
  readonly tallies: Tallies
  readonly ratioPpm: number
  readonly rule: LaneRule
}

/**
 * Counts in `1/unit`: lanes weighted in ppm, so a tally of several validators has `unit` 1_000_000.
 */
export interface WeightedTally {
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
  readonly look: Look
}

const PPM = 1_000_000n

/**
 * One environment, several lanes: a verdict must survive the removal of the third of the weight
 * most favourable to it. So a coalition below a third, lying as it likes and knowing every result,
 * cannot crown a contender more often than the honest lanes would. It can delay one that is a
 * little better.
 *
 * The third is of all weights, also where there is no lane. Lanes without a weight, and lanes that
 * played nothing, are not looked at. Protocol §8.6. In integers throughout: Protocol §1.5.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, or when a count is not a whole number.
 */
export function judgeEnvironment({ weights, tallies, ratioPpm, rule }: Observed): Evidence {
  const lanes = lanesOf(weights, tallies)
  const outliers = outliersOf(lanes, rule.outlierZSquared)
  const ranked = rank(
    lanes.filter((lane) => !outliers.has(lane)),
    ratioPpm,
  )
  const third = thirdOf(weights)
  const win = trim(ranked, third)
  const hold = trim([...ranked].reverse(), third)
  const middle = medianLane(lanes, 'trials')
  return {
    setAside: [...outliers].map(({ hotkey }) => hotkey).sort(),
    win,
    hold,
    decisivePpm: middle && Number((PPM * middle.trials) / middle.played),
    look: lookAtBoth({ win, hold }, { ratioPpm, rule }),
  }
}

/** A win by what is left for it, else a hold by what is left for that. */
function lookAtBoth({ win, hold }: Trimmed, { ratioPpm, rule }: Contest): Look {
  if (lookAt({ ...win, ratioPpm, rule }) === 'win') return 'win'
  // At the cap it is a hold even where the lanes most in favour would, without the others, win.
  if (hold.trials >= BigInt(rule.cap) * PPM) return 'hold'
  if (lookAt({ ...hold, ratioPpm, rule }) === 'hold') return 'hold'
  return 'continue'
}

type Trimmed = Pick<Evidence, 'win' | 'hold'>

/** The lanes that have a weight and played. */
function lanesOf(weights: Observed['weights'], tallies: Tallies): readonly Lane[] {
  const lanes = Object.entries(weights).map(([hotkey, ppm]) => {
    const { wins, losses, played } = own(tallies, hotkey) ?? NOTHING
    return {
      hotkey,
      weight: BigInt(ppm),
      wins: BigInt(wins),
      losses: BigInt(losses),
      trials: BigInt(wins + losses),
      played: BigInt(played),
    }
  })
  return lanes.filter(({ played }) => played > 0n)
}

/** The lanes most in favour of the contender first. */
function rank(lanes: readonly Lane[], ratioPpm: number): readonly Lane[] {
  const lead = (lane: Lane): bigint => lane.wins * PPM - lane.trials * BigInt(ratioPpm)
  return [...lanes].sort((a, b) => compare(lead(b), lead(a)) || compare(a.hotkey, b.hotkey))
}

/** A third of all weights, rounded up. */
function thirdOf(weights: Observed['weights']): bigint {
  return (Object.values(weights).reduce((sum, ppm) => sum + BigInt(ppm), 0n) + 2n) / 3n
}

/**
 * The weighted sums of `lanes` without the first `drop` of their weight, the lane on the line in
 * part.
 */
function trim(lanes: readonly Lane[], drop: bigint): WeightedTally {
  let left = drop
  let wins = 0n
  let trials = 0n
  for (const lane of lanes) {
    const kept = lane.weight > left ? lane.weight - left : 0n
    left -= lane.weight - kept
    wins += kept * lane.wins
    trials += kept * lane.trials
  }
  return { wins, trials, unit: PPM }
}
