import { expectProbability } from './argument.ts'
import { leastAbove } from './bounds.ts'
import type { WinRule } from './sequential.ts'
import { crossing } from './walk.ts'

/** The calibrated ratios: 0.500, 0.501 … 0.950. */
const LOWEST_PPM = 500_000
const HIGHEST_PPM = 950_000
const STEP_PPM = 1_000

/**
 * Returns the least z of two decimals for which the lower Wilson bound, evaluated after every trial
 * from `minTrials` to `cap`, ever reaches R with probability at most `alpha` at p = R, for each R
 * in 0.500, 0.501 … 0.950.
 *
 * Ignores HOLD, which can only lower the probability. Does not apply to an R between these, where
 * the probability can be slightly larger, and to fractional counts. Takes under a second at cap
 * 5000; time grows as cap^1.5.
 *
 * Source: Armitage, McPherson and Rowe (1969), doi:10.2307/2343787. Vectors:
 * vectors/wilson/calibrate.json. Protocol §7.
 * @throws RangeError unless 0 <= alpha <= 1 and 1 <= minTrials <= cap <= 10_000_000.
 */
export function calibrate({
  alpha,
  cap,
  minTrials,
}: {
  alpha: number
  cap: number
  minTrials: number
}): number {
  expectProbability('alpha', alpha)
  const createRule = (hundredths: number): WinRule => ({
    cap,
    minTrials,
    zSquaredPpm: BigInt(hundredths) ** 2n * 100n,
  })
  // With z^2 > cap, even cap wins of cap trials do not reach one half.
  const max = Math.ceil(100 * Math.sqrt(cap)) + 1
  let least = 0
  for (let ratioPpm = LOWEST_PPM; ratioPpm <= HIGHEST_PPM; ratioPpm += STEP_PPM) {
    const isAllowed = (hundredths: number): boolean =>
      crossing({ p: ratioPpm / 1e6, ratioPpm, rule: createRule(hundredths) }) <= alpha
    // A higher z only raises the boundary.
    if (!isAllowed(least)) least = leastAbove(least, max, isAllowed)
  }
  return least / 100
}
