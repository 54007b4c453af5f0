import { within } from './argument.ts'
import { type Contest, lowerReaches, type Rule, verdict } from './sequential.ts'

/**
 * A contender that wins each decisive trial with probability `p`, looked at after every one of
 * them.
 */
export interface Walk extends Contest {
  readonly p: number
}

/**
 * How the walk ends: probabilities of the two verdicts (their sum is 1), and the number of trials
 * until then.
 */
export interface End {
  readonly win: number
  readonly hold: number
  readonly expectedTrials: number
  /** The least n by which half of all walks, or 95 % of them, have ended. */
  readonly medianTrials: number
  readonly trials95: number
}

/**
 * What may be dropped in all: a count with less than DUST / cap is. A trial adds one count, so cap
 * + 1 are the most.
 */
const DUST = 1e-16

const at = (array: ArrayLike<number>, index: number): number => array[index] ?? 0

/**
 * For each n in 0..cap, the fewest wins at which `lowerReaches`; n + 1 where none do, or before the
 * first look.
 *
 * Floats place the edge within 1e-8 (cap is at most 10^7), so only nearer than 1e-6 to an integer
 * can they be wrong, and there `lowerReaches` decides: the exact boundary, at the speed of floats.
 */
export function winBoundary(ratioPpm: number, { cap, minTrials, zSquaredPpm }: Rule): Int32Array {
  const rate = ratioPpm / 1e6
  const spread = (Number(zSquaredPpm) / 1e6) * rate * ((1e6 - ratioPpm) / 1e6)
  const boundary = new Int32Array(cap + 1)
  for (let trials = 0; trials <= cap; trials++) {
    const edge = trials * rate + Math.sqrt(trials * spread)
    const wins = Math.round(edge)
    let fewest = Math.ceil(edge)
    if (Math.abs(edge - wins) < 1e-6 && wins <= trials) {
      fewest = lowerReaches({ wins, trials, ratioPpm, zSquaredPpm }) ? wins : wins + 1
    }
    boundary[trials] = trials < minTrials ? trials + 1 : Math.min(fewest, trials + 1)
  }
  return boundary
}

/**
 * For each n in 0..cap, the most wins whose `verdict` is hold; -1 where none is. It never falls as
 * n grows.
 */
export function holdBoundary(ratioPpm: number, rule: Rule): Int32Array {
  const boundary = new Int32Array(rule.cap + 1)
  let wins = -1
  for (let trials = 0; trials <= rule.cap; trials++) {
    while (wins < trials && verdict({ wins: wins + 1, trials, ratioPpm, rule }) === 'hold') wins++
    boundary[trials] = wins
  }
  return boundary
}

/**
 * How the walk ends that is won with at least win[n] wins and held with at most hold[n], for n in
 * 0..cap.
 *
 * Dynamic programming over the number of wins. What is dropped counts as ended on its side, so a
 * tail is never too small. The probabilities may lack 1e-13 of 1, far less than the quantiles could
 * notice.
 */
export function absorb(p: number, win: Int32Array, hold: Int32Array): End {
  const cap = win.length - 1
  const end = { win: 0, hold: 0, expectedTrials: 0, medianTrials: 0, trials95: 0 }
  const mass = new Float64Array(cap + 2)
  mass[0] = 1
  for (let n = 1, low = 0, high = 0; n <= cap && low <= high; n++) {
    // One trial: each mass[w], low <= w <= high, splits into a loss (stays) and a win (moves to w +
    // 1).
    let moving = 0
    for (let w = low; w <= high; w++) {
      const here = at(mass, w)
      mass[w] = here * (1 - p) + moving
      moving = here * p
    }
    mass[++high] = moving
    let won = 0
    let held = 0
    while (low <= high && (high >= at(win, n) || at(mass, high) < DUST / cap))
      won += at(mass, high--)
    while (low <= high && (low <= at(hold, n) || at(mass, low) < DUST / cap))
      held += at(mass, low++)
    end.win += won
    end.hold += held
    end.expectedTrials += n * (won + held)
    if (end.medianTrials === 0 && end.win + end.hold >= 0.5) end.medianTrials = n
    if (end.trials95 === 0 && end.win + end.hold >= 0.95) end.trials95 = n
  }
  return end
}

/**
 * How often, and how soon, the contender of true strength `p` wins or holds under `verdict`, one
 * look a trial.
 *
 * Exact boundaries; probabilities in floats, within 1e-12. Time and memory grow as cap^1.5 and cap.
 * Says nothing of trials that depend on each other or of a p that changes.
 *
 * Source: Armitage, McPherson and Rowe (1969), doi:10.2307/2343787. Vectors:
 * vectors/wilson/walk.json.
 * @throws RangeError unless 0 <= p <= 1, and as `verdict` does.
 */
export function walk({ p, ratioPpm, rule }: Walk): End {
  check({ p, ratioPpm, rule })
  return absorb(p, winBoundary(ratioPpm, rule), holdBoundary(ratioPpm, rule))
}

/**
 * The probability that the lower bound ever reaches the ratio within `cap` looks if nothing stops
 * the walk before: `walk`'s win without HOLD, hence never less. What `calibrate` keeps under alpha.
 * Floats, within 1e-12; mass too small to follow (under 1e-15 in all) counts as crossed.
 *
 * @throws RangeError as `walk` does.
 */
export function crossing({ p, ratioPpm, rule }: Walk): number {
  check({ p, ratioPpm, rule })
  const { win, hold } = absorb(
    p,
    winBoundary(ratioPpm, rule),
    new Int32Array(rule.cap + 1).fill(-1),
  )
  return win + hold
}

/** Refuses what `verdict` refuses, and a p that is no probability. */
function check({ p, ratioPpm, rule }: Walk): void {
  verdict({ wins: 0, trials: 0, ratioPpm, rule })
  within('p', p, 0, 1)
}
