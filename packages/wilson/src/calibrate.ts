import { expectProbability } from './argument.ts'
import { leastAbove } from './bounds.ts'
import type { WinRule } from './sequential.ts'
import { crossing } from './walk.ts'

/** Every ratio that is promised for: 0.500, 0.501 … 0.950. */
const LOWEST_PPM = 500_000
const HIGHEST_PPM = 950_000
const STEP_PPM = 1_000

/**
 * The least z of two decimals with which the lower Wilson bound, looked at after every trial from
 * `minTrials` to `cap`, ever reaches R with probability at most `alpha` at p = R: for each R in
 * 0.500, 0.501 … 0.950.
 *
 * HOLD is left out, and can only lower the probability. Not promised for an R in between, where the
 * probability can be larger by a little, nor for counts that are not whole. Under a second at cap
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
  const ruleOf = (hundredths: number): WinRule => ({
    cap,
    minTrials,
    zSquaredPpm: BigInt(hundredths) ** 2n * 100n,
  })
  // With z^2 > cap not even cap wins of cap reach one half.
  const enough = Math.ceil(100 * Math.sqrt(cap)) + 1
  let least = 0
  for (let ratioPpm = LOWEST_PPM; ratioPpm <= HIGHEST_PPM; ratioPpm += STEP_PPM) {
    const isKept = (hundredths: number): boolean =>
      crossing({ p: ratioPpm / 1e6, ratioPpm, rule: ruleOf(hundredths) }) <= alpha
    // A higher z only moves the boundary up.
    if (!isKept(least)) least = leastAbove(least, enough, isKept)
  }
  return least / 100
}
