import { expectWithin } from './argument.ts'

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
