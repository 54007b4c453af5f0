import { readInteger } from './argument.ts'
import { ceilRoot } from './root.ts'

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
  readonly zSquaredPpm: bigint
}

/** At most `cap` trials, the first look after `minTrials`, and z squared in millionths. */
export interface Rule {
  readonly cap: number
  readonly minTrials: number
  readonly zSquaredPpm: bigint
}

/** What `lookAt` holds a proportion against. */
export interface Contest {
  readonly ratioPpm: number
  readonly rule: Rule
}

/** What a look comes to, for the contender. */
export type Look = 'win' | 'hold' | 'continue'

const PPM = 1_000_000n
const PPM_CUBED = PPM * PPM * PPM
const MAX_CAP = 10_000_000n

/**
 * A proportion and a bar in bigints: w of n trials in units of 1 / u, the rate r and z squared q in
 * millionths.
 */
type Exact = Readonly<Record<'w' | 'n' | 'u' | 'r' | 'q', bigint>>

function readExact({ wins, trials, unit = 1n }: Proportion, bar: Bar): Exact {
  const n = readInteger('trials', trials, { low: 0n })
  const w = readInteger('wins', wins, { low: 0n, high: n })
  const u = readInteger('unit', unit, { low: 1n })
  const r = readInteger('ratioPpm', bar.ratioPpm, { low: 1n, high: PPM - 1n })
  const q = readInteger('zSquaredPpm', bar.zSquaredPpm, { low: 0n })
  return { w, n, u, r, q }
}

/**
 * lower >= r / PPM, cleared of its denominators. No trials have the lower bound 0, which the
 * squares do not say.
 */
function reaches({ w, n, u, r, q }: Exact): boolean {
  const lead = w * PPM - n * r
  return n > 0n && lead >= 0n && PPM * lead * lead >= q * u * n * r * (PPM - r)
}

/** upper < num / den for a rate below 1; false for a rate of 0 or less, as it must be. */
function isBelow({ w, n, u, q }: Exact, num: bigint, den: bigint): boolean {
  const lag = n * num - w * den
  return lag > 0n && PPM * lag * lag > q * u * n * num * (den - num)
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
  return reaches(readExact(proportion, proportion))
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
  const exact = readExact(proportion, proportion)
  return isBelow(exact, exact.r, PPM)
}

/**
 * One look at one environment, for the contender: `win` once the lower bound reaches the ratio,
 * `hold` once even the optimistic rate over all that is left of `cap` falls short of `need = cap R
 * + ceil(z sqrt(cap R (1 - R)))` wins, else `continue`. Before `minTrials`: `continue`.
 *
 * Depends on the counts alone, so on no order of arrival, and `unit` only scales them. With z from
 * `calibrate`, a look after each whole trial and the first win or hold standing, a contender no
 * better than the ratio wins with at most alpha. Protocol §7.
 *
 * @throws RangeError unless 1 <= minTrials <= cap <= 10_000_000, and as `lowerReaches` does.
 */
export function lookAt({ wins, trials, unit = 1n, ratioPpm, rule }: Proportion & Contest): Look {
  const cap = readInteger('cap', rule.cap, { low: 1n, high: MAX_CAP })
  const minTrials = readInteger('minTrials', rule.minTrials, { low: 1n, high: cap })
  const exact = readExact({ wins, trials, unit }, { ratioPpm, zSquaredPpm: rule.zSquaredPpm })
  const { n, u } = exact
  if (n < minTrials * u) return 'continue'
  if (reaches(exact)) return 'win'
  if (n >= cap * u || isOutOfReach(exact, cap)) return 'hold'
  return 'continue'
}

/** Would even the upper bound, over all that is left of `cap`, bring too few wins? */
function isOutOfReach(exact: Exact, cap: bigint): boolean {
  const { w, n, u } = exact
  // The rate that the trials left would have to bring, (need - w) / (cap - n), as num / den.
  const num = needOf(exact, cap) * u - w * PPM
  const den = (cap * u - n) * PPM
  return num >= den || isBelow(exact, num, den)
}

/** cap R + ceil(z sqrt(cap R (1 - R))) wins, in millionths: about what a win takes at `cap`. */
function needOf({ r, q }: Exact, cap: bigint): bigint {
  // To round up before the root is taken does not change the root, rounded up.
  const variance = (q * cap * r * (PPM - r) + PPM_CUBED - 1n) / PPM_CUBED
  return cap * r + PPM * ceilRoot(variance)
}
