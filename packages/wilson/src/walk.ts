import { expectProbability } from './argument.ts'
import { leastAbove } from './bounds.ts'
import { type Contest, evaluate, lowerReaches, type Rule, type WinRule } from './sequential.ts'

/** A contender that wins each decisive trial with probability `p`, evaluated after each trial. */
export interface Walk extends Contest {
  readonly p: number
}

/** The end of a walk: probabilities of win and hold, with the sum 1, and the number of trials. */
export interface End {
  readonly win: number
  readonly hold: number
  readonly expectedTrials: number
  /** Median number of trials until the end. */
  readonly medianTrials: number
  /** 95 % quantile of the number of trials. */
  readonly trials95: number
  /** Probabilities of a win at the n-th trial, for n in 0..cap. */
  readonly winAt: Float64Array
  /** Probabilities of a hold at the n-th trial, for n in 0..cap. */
  readonly holdAt: Float64Array
}

/** The walks that have not ended: mass[w] is the share with w wins, for w from low to high. */
interface OpenWalks {
  readonly mass: Float64Array
  low: number
  high: number
}

/**
 * Limits the total dropped mass to DUST (cap + 1) / cap: a number of wins is dropped if its mass is
 * below DUST / cap. At most cap + 1 are dropped: the walk begins with one, and each trial adds one.
 */
const DUST = 1e-16

/**
 * Returns mass[wins]. All reads use this function, because JavaScript engines run a function faster
 * that always receives the same type of array.
 */
const at = (mass: Float64Array, wins: number): number => mass[wins] ?? 0

/**
 * Computes the end of a walk in which, after n trials, win[n] or more wins are a win and hold[n] or
 * fewer a hold, for n in 0..cap.
 *
 * Dynamic programming over the number of wins. Mass that is dropped above the open walks counts as
 * a win, below them as a hold, so neither probability is too small. Their sum may differ from 1 by
 * 1e-13, which does not affect the quantiles.
 */
function absorb(p: number, win: Int32Array, hold: Int32Array): End {
  const cap = win.length - 1
  const negligible = DUST / cap
  const end = { win: 0, hold: 0, expectedTrials: 0, medianTrials: 0, trials95: 0 }
  const [winAt, holdAt] = [new Float64Array(cap + 1), new Float64Array(cap + 1)]
  const open: OpenWalks = { mass: new Float64Array(cap + 2), low: 0, high: 0 }
  open.mass[0] = 1
  for (let n = 1; n <= cap && open.low <= open.high; n++) {
    playTrial(open, p)
    const won = takeFromAbove(open, win[n] ?? 0, negligible)
    const held = takeFromBelow(open, hold[n] ?? 0, negligible)
    winAt[n] = won
    holdAt[n] = held
    end.win += won
    end.hold += held
    end.expectedTrials += n * (won + held)
    if (end.medianTrials === 0 && end.win + end.hold >= 0.5) end.medianTrials = n
    if (end.trials95 === 0 && end.win + end.hold >= 0.95) end.trials95 = n
  }
  return { ...end, winAt, holdAt }
}

/** Plays one trial: each mass[w] splits into losses, which stay, and wins, which move to w + 1. */
function playTrial(open: OpenWalks, p: number): void {
  const { mass, low, high } = open
  let moving = 0
  for (let w = low; w <= high; w++) {
    const here = at(mass, w)
    mass[w] = here * (1 - p) + moving
    moving = here * p
  }
  open.high = high + 1
  mass[open.high] = moving
}

/**
 * Ends the walks with at least `min` wins, then, from the top, each number of wins with a mass
 * below `negligible`. Returns the share that ended.
 */
function takeFromAbove(open: OpenWalks, min: number, negligible: number): number {
  const { mass, low } = open
  let taken = 0
  while (low <= open.high && (open.high >= min || at(mass, open.high) < negligible)) {
    taken += at(mass, open.high)
    open.high--
  }
  return taken
}

/** Ends walks as `takeFromAbove` does, but from the bottom, with at most `max` wins. */
function takeFromBelow(open: OpenWalks, max: number, negligible: number): number {
  const { mass, high } = open
  let taken = 0
  while (open.low <= high && (open.low <= max || at(mass, open.low) < negligible)) {
    taken += at(mass, open.low)
    open.low++
  }
  return taken
}

/**
 * Returns the end of a walk in which `evaluate` judges a contender of true strength `p` after each
 * trial.
 *
 * Boundaries are exact; probabilities are floats, within 1e-12. Time grows as cap^1.5, memory as
 * cap. Assumes independent trials and a constant p.
 *
 * Source: Armitage, McPherson and Rowe (1969), doi:10.2307/2343787. Vectors:
 * vectors/wilson/walk.json.
 * @throws RangeError unless 0 <= p <= 1, and as `evaluate` does.
 */
export function walk({ p, ratioPpm, rule }: Walk): End {
  expectWalk({ p, ratioPpm, rule })
  return absorb(p, winBoundary(ratioPpm, rule), holdBoundary(ratioPpm, rule))
}

/**
 * Returns the probability that the lower bound reaches the ratio within `cap` trials if no HOLD
 * ends the walk. It is never below `walk`'s win, and `calibrate` limits it to alpha. A float,
 * within 1e-12; dropped mass (under 1e-15 in total) counts as crossed.
 *
 * @throws RangeError as `walk` does.
 */
export function crossing({ p, ratioPpm, rule }: WalkWithoutHold): number {
  expectWalk({ p, ratioPpm, rule: { ...rule, holdOffset: 0, holdSlopePpm: 0 } })
  const noHold = new Int32Array(rule.cap + 1).fill(-1)
  const { win, hold } = absorb(p, winBoundary(ratioPpm, rule), noHold)
  return win + hold
}

type WalkWithoutHold = Pick<Walk, 'p' | 'ratioPpm'> & { readonly rule: WinRule }

function expectWalk({ p, ratioPpm, rule }: Walk): void {
  evaluate({ wins: 0, trials: 0, ratioPpm, rule })
  expectProbability('p', p)
}

/**
 * Returns for each n in 0..cap the minimum number of wins for which `lowerReaches` is true; n + 1
 * if there is none, or if n is below `minTrials`.
 *
 * Exact: the float `edge` has an error below 1e-8, as cap is at most 10^7, and `lowerReaches`
 * decides if `edge` is within 1e-6 of an integer.
 */
export function winBoundary(
  ratioPpm: number,
  { cap, minTrials, zSquaredPpm }: WinRule,
): Int32Array {
  const rate = ratioPpm / 1e6
  const spread = (Number(zSquaredPpm) / 1e6) * rate * ((1e6 - ratioPpm) / 1e6)
  const boundary = new Int32Array(cap + 1)
  for (let trials = 0; trials <= cap; trials++) {
    boundary[trials] = trials + 1
    if (trials < minTrials) continue
    const edge = trials * rate + Math.sqrt(trials * spread)
    const wins = Math.round(edge)
    let min = Math.ceil(edge)
    if (Math.abs(edge - wins) < 1e-6 && wins <= trials) {
      min = lowerReaches({ wins, trials, ratioPpm, zSquaredPpm }) ? wins : wins + 1
    }
    boundary[trials] = Math.min(min, trials + 1)
  }
  return boundary
}

/**
 * Returns for each n in 0..cap the maximum number of wins for which `evaluate` returns `hold`, or
 * -1. Never decreases with n.
 */
export function holdBoundary(ratioPpm: number, rule: Rule): Int32Array {
  const boundary = new Int32Array(rule.cap + 1)
  let wins = -1
  for (let trials = 0; trials <= rule.cap; trials++) {
    while (wins < trials && evaluate({ wins: wins + 1, trials, ratioPpm, rule }) === 'hold') wins++
    boundary[trials] = wins
  }
  return boundary
}

type Calibration = Pick<WinRule, 'cap' | 'minTrials'> & { readonly alpha: number }

/** Calibrated ratios: 0.500, 0.501 … 0.950. */
const LOWEST_PPM = 500_000
const HIGHEST_PPM = 950_000
const STEP_PPM = 1_000

/**
 * Returns the least z of two decimals for which the lower Wilson bound, evaluated after every trial
 * from `minTrials` to `cap`, ever reaches R with probability at most `alpha` at p = R, for each R
 * in 0.500, 0.501 … 0.950.
 *
 * Ignores HOLD, which can only lower the probability. Does not apply to an R between these, where
 * the probability can be slightly larger, or to fractional counts. Takes under a second at cap
 * 5000; time grows as cap^1.5.
 *
 * Source: Armitage, McPherson and Rowe (1969), doi:10.2307/2343787. Vectors:
 * vectors/wilson/calibrate.json. Protocol §7.
 * @throws RangeError unless 0 <= alpha <= 1 and 1 <= minTrials <= cap <= 10_000_000.
 */
export function calibrate({ alpha, cap, minTrials }: Calibration): number {
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
    // A higher z never raises the probability, so `least` remains allowed at the ratios before.
    if (!isAllowed(least)) least = leastAbove(least, max, isAllowed)
  }
  return least / 100
}
