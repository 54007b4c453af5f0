import { readInteger } from './argument.ts'

/**
 * `wins` of `trials` decisive trials (ties left out), both in units of `1 / unit` of a trial; unit
 * 1 if absent.
 */
export interface Proportion {
  readonly wins: number | bigint
  readonly trials: number | bigint
  readonly unit?: bigint
}

/** A rate in millionths, and the square of z in millionths: 2.85 is 8_122_500n. */
export interface Bar {
  readonly ratioPpm: number
  readonly zSquaredPpm: number | bigint
}

/** At most `cap` trials, the first look after `minTrials`, and z squared in millionths. */
export interface WinRule {
  readonly cap: number
  readonly minTrials: number
  readonly zSquaredPpm: number | bigint
}

/** Offset and slope of the line below which a win by the cap is out of reach: see `holdLine`. */
export interface HoldLine {
  readonly holdOffset: number
  readonly holdSlopePpm: number
}

/** All numbers of `lookAt`. */
export interface Rule extends WinRule, HoldLine {}

/** What `lookAt` holds a proportion against. */
export interface Contest {
  readonly ratioPpm: number
  readonly rule: Rule
}

/** What a look comes to, for the contender. */
export type Look = 'win' | 'hold' | 'continue'

/** One, in parts per million. */
export const PPM = 1_000_000n
const MAX_CAP = 10_000_000n

/** A proportion in units of 1 / u: w of n trials. The rate r and z squared q are in millionths. */
type Exact = Readonly<Record<'w' | 'n' | 'u' | 'r' | 'q', bigint>>

function readExact(given: Proportion & Bar): Exact {
  const n = readInteger('trials', given.trials, { low: 0n })
  const w = readInteger('wins', given.wins, { low: 0n, high: n })
  const u = readInteger('unit', given.unit ?? 1n, { low: 1n })
  const r = readInteger('ratioPpm', given.ratioPpm, { low: 1n, high: PPM - 1n })
  const q = readInteger('zSquaredPpm', given.zSquaredPpm, { low: 0n })
  return { w, n, u, r, q }
}

/**
 * Is the lower Wilson bound of `wins / trials` at least `ratioPpm`?
 *
 * Wilson inverts the score test, so this is exactly `w >= nR` and `(w - nR)^2 >= z^2 n R (1 - R)`:
 * integers only, the same answer on every machine. False without trials. For one look at a fixed n;
 * for repeated looks take z from `calibrate`.
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
 * Is the upper Wilson bound of `wins / trials` below `ratioPpm`? Exactly `w < nR` and `(nR - w)^2 >
 * z^2 n R (1 - R)`.
 *
 * The mirror of `lowerReaches`: at equality the bound reaches, and is not below. Protocol §7.
 *
 * @throws RangeError as `lowerReaches` does.
 */
export function upperBelow(proportion: Proportion & Bar): boolean {
  const { w, n, u, r, q } = readExact(proportion)
  const lag = n * r - w * PPM
  return lag > 0n && PPM * lag * lag > q * u * n * r * (PPM - r)
}

/**
 * One look at one environment, for the contender: `win` once the lower bound reaches the ratio,
 * `hold` at the cap, once the upper bound is below the ratio, or at and below the `holdLine`, else
 * `continue`. Before `minTrials`: `continue`.
 *
 * Depends on the counts alone, so on no order of arrival, and `unit` only scales them. With z from
 * `calibrate`, a look after each whole trial and the first win or hold standing, a contender no
 * better than the ratio wins with at most alpha. Protocol §7.
 *
 * @throws RangeError unless 1 <= minTrials <= cap <= 10_000_000, and as `holdLine` does.
 */
export function lookAt(contested: Proportion & Contest): Look {
  const { rule, ratioPpm } = contested
  const cap = readInteger('cap', rule.cap, { low: 1n, high: MAX_CAP })
  const minTrials = readInteger('minTrials', rule.minTrials, { low: 1n, high: cap })
  const most = holdLine(contested)
  const proportion = { ...contested, ratioPpm, zSquaredPpm: rule.zSquaredPpm }
  const { w, n, u } = readExact(proportion)
  if (n < minTrials * u) return 'continue'
  if (lowerReaches(proportion)) return 'win'
  return n >= cap * u || w <= most || upperBelow(proportion) ? 'hold' : 'continue'
}

/**
 * The most wins of so many trials with which a win by the cap is out of reach, in the unit of the
 * trials: at most `trials * (R + holdSlope) - holdOffset * R (1 - R)` for the ratio R, rounded
 * down; -1 where none are.
 *
 * Nothing is proven of that line: `walk` computes what it costs. Protocol §7.
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
