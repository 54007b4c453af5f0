import { integer } from './argument.ts'

/**
 * `wins` of `trials` decisive trials (ties left out), both in units of `1 / unit` of a trial; unit
 * 1 if absent.
 */
export interface Tally {
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

/** What `verdict` holds a tally against. */
export interface Contest {
  readonly ratioPpm: number
  readonly rule: Rule
}

export type Verdict = 'win' | 'hold' | 'continue'

const PPM = 1_000_000n
const MAX_CAP = 10_000_000n

/**
 * A tally and a bar in bigints: w of n trials in units of 1 / u, the rate r and z squared q in
 * millionths.
 */
function exact({ wins, trials, unit = 1n }: Tally, { ratioPpm, zSquaredPpm }: Bar) {
  const n = integer('trials', trials, 0n)
  const w = integer('wins', wins, 0n, n)
  const u = integer('unit', unit, 1n)
  return {
    w,
    n,
    u,
    r: integer('ratioPpm', ratioPpm, 1n, PPM - 1n),
    q: integer('zSquaredPpm', zSquaredPpm, 0n),
  }
}

type Exact = ReturnType<typeof exact>

/**
 * lower >= r / PPM, cleared of its denominators. No trials have the lower bound 0, which the
 * squares do not say.
 */
function reaches({ w, n, u, r, q }: Exact): boolean {
  const lead = w * PPM - n * r
  return n > 0n && lead >= 0n && PPM * lead * lead >= q * u * n * r * (PPM - r)
}

/** upper < num / den for a rate below 1; false for a rate of 0 or less, as it must be. */
function below({ w, n, u, q }: Exact, num: bigint, den: bigint): boolean {
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
 * @throws RangeError unless 0 <= wins <= trials, 0 < ratioPpm < 1_000_000, zSquaredPpm >= 0 and
 *   unit >= 1.
 */
export function lowerReaches(tally: Tally & Bar): boolean {
  return reaches(exact(tally, tally))
}

/**
 * Is the upper Wilson bound of `wins / trials` below `ratioPpm`? Exactly `w < nR` and `(nR - w)^2 >
 * z^2 n R (1 - R)`.
 *
 * The mirror of `lowerReaches`: at equality the bound reaches, and is not below.
 *
 * @throws RangeError as `lowerReaches` does.
 */
export function upperBelow(tally: Tally & Bar): boolean {
  const look = exact(tally, tally)
  return below(look, look.r, PPM)
}

/** The least k with k^2 >= value: Newton's integer square root, which comes from above, then up. */
function ceilRoot(value: bigint): bigint {
  let root = value
  for (let next = (value + 1n) >> 1n; next < root; next = (root + value / root) >> 1n) root = next
  return root * root === value ? root : root + 1n
}

/**
 * One look at one environment, for the contender: `win` once the lower bound reaches the ratio,
 * `hold` once even the optimistic rate over all that is left of `cap` falls short of `need = cap R
 * + ceil(z sqrt(cap R (1 - R)))` wins, else `continue`. Before `minTrials`: `continue`.
 *
 * Depends on the tally alone, so on no order of arrival, and `unit` only scales it. With z from
 * `calibrate`, a look after each whole trial and the first verdict standing, a contender no better
 * than the ratio wins with at most alpha.
 *
 * @throws RangeError unless 1 <= minTrials <= cap <= 10_000_000, and as `lowerReaches` does.
 */
export function verdict({ wins, trials, unit = 1n, ratioPpm, rule }: Tally & Contest): Verdict {
  const cap = integer('cap', rule.cap, 1n, MAX_CAP)
  const minTrials = integer('minTrials', rule.minTrials, 1n, cap)
  const look = exact({ wins, trials, unit }, { ratioPpm, zSquaredPpm: rule.zSquaredPpm })
  const { w, n, u, r, q } = look
  if (n < minTrials * u) return 'continue'
  if (reaches(look)) return 'win'
  if (n >= cap * u) return 'hold'
  const cube = PPM * PPM * PPM
  const need = cap * r + PPM * ceilRoot((q * cap * r * (PPM - r) + cube - 1n) / cube)
  // The rate that the trials left would have to bring, (need - w) / (cap - n), as num / den.
  const num = need * u - w * PPM
  const den = (cap * u - n) * PPM
  return num >= den || below(look, num, den) ? 'hold' : 'continue'
}
