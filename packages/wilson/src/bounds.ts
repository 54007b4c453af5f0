import { expectWithin } from './argument.ts'
import { lowerReaches, PPM, type Proportion, upperBelow } from './sequential.ts'

/** A proportion, and the square of z in millionths. */
export type Bounded = Proportion & { readonly zSquaredPpm: number | bigint }

/**
 * The Wilson bounds of `wins / trials` in ppm, each rounded away from the rate: `lower` is the
 * largest ratio below 1 that `lowerReaches`, or 0, and `upper` the least that `upperBelow` is true
 * of, or 1_000_000. So whoever compares them with a ratio comes to what the exact ones come to.
 *
 * Integers only. Without trials 0 to 1_000_000. Vectors: vectors/duel/ratchet.json.
 * @throws RangeError as `lowerReaches` does.
 */
export function boundsPpm(bounded: Bounded): { readonly lower: number; readonly upper: number } {
  const isAbove = (ratioPpm: number): boolean => !lowerReaches({ ...bounded, ratioPpm })
  const isBelow = (ratioPpm: number): boolean => upperBelow({ ...bounded, ratioPpm })
  return {
    lower: leastAbove(0, Number(PPM), isAbove) - 1,
    upper: leastAbove(0, Number(PPM), isBelow),
  }
}

/**
 * The Wilson score interval of `wins / trials`: the rates x with `|wins - trials x| <= z
 * sqrt(trials x (1 - x))`.
 *
 * For people: floats, each bound within a few units in the last place, also near 0 where the usual
 * "centre minus half-width" cancels. Counts may be fractional; no trials give 0..1. Not for
 * decisions (`lookAt` is), nor for repeated looks unless z is from `calibrate`.
 *
 * Source: Wilson (1927), doi:10.1080/01621459.1927.10502953. Vectors: vectors/wilson/bounds.json.
 * @throws RangeError unless 0 <= wins <= trials <= 2^53 - 1 and 0 <= z <= 1_000_000.
 */
export function intervalOf({ wins, trials, z }: { wins: number; trials: number; z: number }): {
  lower: number
  upper: number
} {
  expectWithin('trials', trials, { low: 0, high: Number.MAX_SAFE_INTEGER })
  expectWithin('wins', wins, { low: 0, high: trials })
  expectWithin('z', z, { low: 0, high: 1_000_000 })
  // The bounds are the roots of (n + z^2) x^2 - (2w + z^2) x + w^2 / n. The upper is a sum of
  // positive terms; the lower follows from the roots' product, so that nothing is ever subtracted.
  // Without trials both are NaN, and neither is needed.
  const rate = wins / trials
  const sum = wins + (z * z) / 2 + z * Math.sqrt(wins * ((trials - wins) / trials) + (z * z) / 4)
  const lower = wins === 0 ? 0 : rate * (wins / sum)
  const upper = wins === trials ? 1 : Math.min(1, sum / (trials + z * z))
  return { lower, upper }
}

/**
 * The least integer in (no, yes] that `holds`, by bisection: `holds` must be false up to some
 * integer and true from there, and `yes` is taken to hold without a look. Up to 2^30.
 */
export function leastAbove(no: number, yes: number, holds: (value: number) => boolean): number {
  let below = no
  let least = yes
  while (least - below > 1) {
    const middle = (below + least) >> 1
    if (holds(middle)) least = middle
    else below = middle
  }
  return least
}

/** The least k with k² >= value, for value >= 0: Newton's square root, from above, then up. */
export function ceilRoot(value: bigint): bigint {
  let root = value
  let next = (value + 1n) >> 1n
  while (next < root) {
    root = next
    next = (root + value / root) >> 1n
  }
  if (root * root === value) return root
  return root + 1n
}
