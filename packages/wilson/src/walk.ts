import { expectProbability } from './argument.ts'
import { type Contest, lookAt, lowerReaches, type Rule, type WinRule } from './sequential.ts'

/**
 * A contender that wins each decisive trial with probability `p`, looked at after every one of
 * them.
 */
export interface Walk extends Contest {
  readonly p: number
}

/**
 * How the walk ends: probabilities of win and hold (their sum is 1), and the number of trials until
 * then.
 */
export interface End {
  readonly win: number
  readonly hold: number
  readonly expectedTrials: number
  /** The least n by which half of all walks, or 95 % of them, have ended. */
  readonly medianTrials: number
  readonly trials95: number
  /** The probability of a win, and of a hold, at the n-th trial, for n in 0..cap. */
  readonly winAt: Float64Array
  readonly holdAt: Float64Array
}

/** The walks that have not ended: mass[w] of all have w wins, low <= w <= high. */
interface OpenWalks {
  readonly mass: Float64Array
  low: number
  high: number
}

/**
 * What may be dropped in all: a count with less than DUST / cap is. A trial adds one count, so cap
 * + 1 are the most.
 */
const DUST = 1e-16

/** For one type of array: with two it would be slower. */
const at = (mass: Float64Array, wins: number): number => mass[wins] ?? 0

/**
 * How the walk ends that is won with at least win[n] wins and held with at most hold[n], for n in
 * 0..cap.
 *
 * Dynamic programming over the number of wins. What is dropped counts as ended on its side, so a
 * tail is never too small. The probabilities may lack 1e-13 of 1, far less than the quantiles could
 * notice.
 */
function absorb(p: number, win: Int32Array, hold: Int32Array): End {
  const cap = win.length - 1
  const dust = DUST / cap
  const end = { win: 0, hold: 0, expectedTrials: 0, medianTrials: 0, trials95: 0 }
  const [winAt, holdAt] = [new Float64Array(cap + 1), new Float64Array(cap + 1)]
  const open: OpenWalks = { mass: new Float64Array(cap + 2), low: 0, high: 0 }
  open.mass[0] = 1
  for (let n = 1; n <= cap && open.low <= open.high; n++) {
    playTrial(open, p)
    const won = takeFromAbove(open, win[n] ?? 0, dust)
    const held = takeFromBelow(open, hold[n] ?? 0, dust)
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

/** One trial: each mass[w] splits into a loss, which stays, and a win, which moves to w + 1. */
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

/** Ends the walks with at least `fewest` wins, and dust above the others. Returns their share. */
function takeFromAbove(open: OpenWalks, fewest: number, dust: number): number {
  const { mass, low } = open
  let taken = 0
  while (low <= open.high && (open.high >= fewest || at(mass, open.high) < dust)) {
    taken += at(mass, open.high)
    open.high--
  }
  return taken
}

/** Ends the walks with at most `most` wins, and dust below the others. Returns their share. */
function takeFromBelow(open: OpenWalks, most: number, dust: number): number {
  const { mass, high } = open
  let taken = 0
  while (open.low <= high && (open.low <= most || at(mass, open.low) < dust)) {
    taken += at(mass, open.low)
    open.low++
  }
  return taken
}

/**
 * How often, and how soon, the contender of true strength `p` wins or holds under `lookAt`, one
 * look a trial.
 *
 * Exact boundaries; probabilities in floats, within 1e-12. Time and memory grow as cap^1.5 and cap.
 * Says nothing of trials that depend on each other or of a p that changes.
 *
 * Source: Armitage, McPherson and Rowe (1969), doi:10.2307/2343787. Vectors:
 * vectors/wilson/walk.json.
 * @throws RangeError unless 0 <= p <= 1, and as `lookAt` does.
 */
export function walk({ p, ratioPpm, rule }: Walk): End {
  expectWalk({ p, ratioPpm, rule })
  return absorb(p, winBoundary(ratioPpm, rule), holdBoundary(ratioPpm, rule))
}

/**
 * The probability that the lower bound ever reaches the ratio within `cap` looks if nothing stops
 * the walk before: `walk`'s win without HOLD, hence never less. What `calibrate` keeps under alpha.
 * Floats, within 1e-12; mass too small to follow (under 1e-15 in all) counts as crossed.
 *
 * @throws RangeError as `walk` does.
 */
export function crossing({ p, ratioPpm, rule }: Climb): number {
  expectWalk({ p, ratioPpm, rule: { ...rule, holdOffset: 0, holdSlopePpm: 0 } })
  const noHold = new Int32Array(rule.cap + 1).fill(-1)
  const { win, hold } = absorb(p, winBoundary(ratioPpm, rule), noHold)
  return win + hold
}

/** A walk without HOLD. */
type Climb = Pick<Walk, 'p' | 'ratioPpm'> & { readonly rule: WinRule }

/** Refuses what `lookAt` refuses, and a p that is no probability. */
function expectWalk({ p, ratioPpm, rule }: Walk): void {
  lookAt({ wins: 0, trials: 0, ratioPpm, rule })
  expectProbability('p', p)
}

/**
 * For each n in 0..cap, the fewest wins at which `lowerReaches`; n + 1 where none do, or before the
 * first look.
 *
 * Floats place the edge within 1e-8 (cap is at most 10^7), so only nearer than 1e-6 to an integer
 * can they be wrong, and there `lowerReaches` decides: the exact boundary, at the speed of floats.
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
    let fewest = Math.ceil(edge)
    if (Math.abs(edge - wins) < 1e-6 && wins <= trials) {
      fewest = lowerReaches({ wins, trials, ratioPpm, zSquaredPpm }) ? wins : wins + 1
    }
    boundary[trials] = Math.min(fewest, trials + 1)
  }
  return boundary
}

/**
 * For each n in 0..cap, the most wins whose `lookAt` is hold; -1 where none is. It never falls as
 * n grows.
 */
export function holdBoundary(ratioPpm: number, rule: Rule): Int32Array {
  const boundary = new Int32Array(rule.cap + 1)
  let wins = -1
  for (let trials = 0; trials <= rule.cap; trials++) {
    while (wins < trials && lookAt({ wins: wins + 1, trials, ratioPpm, rule }) === 'hold') wins++
    boundary[trials] = wins
  }
  return boundary
}
