import { readInteger } from './argument.ts'

/** `wins` of `trials` trials without ties, in units of `1 / unit` of a trial. Default unit: 1. */
export interface Proportion {
  readonly wins: number | bigint
  readonly trials: number | bigint
  readonly unit?: bigint
}

/**
 * The ratio that a bound is compared with, and the square of z, in millionths.
 * For z = 2.85 the square is 8_122_500n.
 */
export interface Bar {
  readonly ratioPpm: number
  readonly zSquaredPpm: number | bigint
}

/** At most `cap` trials, no result before `minTrials`, and the square of z in millionths. */
export interface WinRule {
  readonly cap: number
  readonly minTrials: number
  readonly zSquaredPpm: number | bigint
}

/** Offset and slope of a hold's line: see `holdLine`. */
export type HoldLine = Readonly<Record<'holdOffset' | 'holdSlopePpm', number>>

export interface Rule extends WinRule, HoldLine {}

export interface Contest {
  readonly ratioPpm: number
  readonly rule: Rule
}

/** The contender's result in an interim analysis. */
export type InterimResult = 'win' | 'hold' | 'continue'

/** One in parts per million. */
export const PPM = 1_000_000n
const MAX_CAP = 10_000_000n

/**
 * `w` wins of `n` trials, in units of 1 / `u` of a trial; the ratio `r`, and the square `q` of z,
 * in millionths.
 */
type Exact = Readonly<Record<'w' | 'n' | 'u' | 'r' | 'q', bigint>>

function readExact(proportion: Proportion & Bar): Exact {
  const n = readInteger('trials', proportion.trials, { low: 0n })
  const w = readInteger('wins', proportion.wins, { low: 0n, high: n })
  const u = readInteger('unit', proportion.unit ?? 1n, { low: 1n })
  const r = readInteger('ratioPpm', proportion.ratioPpm, { low: 1n, high: PPM - 1n })
  const q = readInteger('zSquaredPpm', proportion.zSquaredPpm, { low: 0n })
  return { w, n, u, r, q }
}

/**
 * Reports whether the lower Wilson bound of `wins / trials` is at least `ratioPpm`.
 *
 * Wilson inverts the score test, so this is exactly `w >= nR` and `(w - nR)^2 >= z^2 n R (1 - R)`,
 * in integers. False without trials. Suits one analysis at a fixed n; repeated analyses need a z
 * from `calibrate`.
 *
 * Source: Wilson (1927), doi:10.1080/01621459.1927.10502953. Vectors: vectors/wilson/verdicts.json.
 * Protocol §7.
 * @throws RangeError unless 0 <= wins <= trials, 0 < ratioPpm < 1_000_000, zSquaredPpm >= 0 and
 *   unit >= 1.
 */
export function lowerReaches(proportion: Proportion & Bar): boolean {
  const { w, n, u, r, q } = readExact(proportion)
  const lead = w * PPM - n * r
  return n > 0n && lead >= 0n && PPM * lead * lead >= q * u * n * r * (PPM - r)
}

/**
 * Reports whether the upper Wilson bound of `wins / trials` is below `ratioPpm`: exactly `w < nR`
 * and `(nR - w)^2 > z^2 n R (1 - R)`. False at equality, where `lowerReaches` is true.
 * Protocol §7.
 *
 * @throws RangeError as `lowerReaches` does.
 */
export function upperBelow(proportion: Proportion & Bar): boolean {
  const { w, n, u, r, q } = readExact(proportion)
  const lag = n * r - w * PPM
  return lag > 0n && PPM * lag * lag > q * u * n * r * (PPM - r)
}

/**
 * Evaluates one environment for the contender. Returns `continue` before `minTrials`; `win` if the
 * lower bound reaches the ratio; otherwise `hold` at the cap, if the upper bound is below the
 * ratio, or at or below `holdLine`; otherwise `continue`.
 *
 * Depends only on the counts, in any unit. With z from `calibrate`, one of the ratios that it
 * covers, an evaluation after each whole trial, and a stop at the first win or hold, a contender no
 * better than the ratio wins with probability at most alpha. Protocol §7.
 *
 * @throws RangeError unless 1 <= minTrials <= cap <= 10_000_000, and as `holdLine` does.
 */
export function evaluate(contested: Proportion & Contest): InterimResult {
  const { rule, ratioPpm } = contested
  const cap = readInteger('cap', rule.cap, { low: 1n, high: MAX_CAP })
  const minTrials = readInteger('minTrials', rule.minTrials, { low: 1n, high: cap })
  const holdWins = holdLine(contested)
  const proportion = { ...contested, ratioPpm, zSquaredPpm: rule.zSquaredPpm }
  const { w, n, u } = readExact(proportion)
  if (n < minTrials * u) return 'continue'
  if (lowerReaches(proportion)) return 'win'
  return n >= cap * u || w <= holdWins || upperBelow(proportion) ? 'hold' : 'continue'
}

/**
 * Returns the maximum number of wins that is a hold, in the unit of the trials:
 * `trials * (R + holdSlope) - holdOffset * unit * R (1 - R)` for the ratio R, rounded down, or -1
 * if negative.
 *
 * A contender below the line could still win by the cap: `walk` computes this cost. Protocol §7.
 *
 * @throws RangeError unless 0 <= holdOffset <= 10_000_000, 0 <= holdSlopePpm <= 1_000_000, and as
 *   `lowerReaches` does.
 */
export function holdLine({
  rule,
  ...trials
}: Omit<Proportion, 'wins'> & { readonly ratioPpm: number; readonly rule: HoldLine }): bigint {
  const offset = readInteger('holdOffset', rule.holdOffset, { low: 0n, high: MAX_CAP })
  const slope = readInteger('holdSlopePpm', rule.holdSlopePpm, { low: 0n, high: PPM })
  const { n, u, r } = readExact({ ...trials, wins: 0, zSquaredPpm: 0 })
  const line = (r + slope) * PPM * n - offset * u * r * (PPM - r)
  return line < 0n ? -1n : line / (PPM * PPM)
}
