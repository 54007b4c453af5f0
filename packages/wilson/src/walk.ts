import { within } from './argument.ts'
import { holdBoundary, winBoundary } from './boundary.ts'
import { type Contest, checkContest } from './sequential.ts'

/** A contender that wins each decisive trial with probability `p`, looked at after every one of them. */
export interface Walk extends Contest {
  readonly p: number
}

/** How the walk ends: probabilities of the two verdicts (their sum is 1), and the number of trials until then. */
export interface End {
  readonly win: number
  readonly hold: number
  readonly expectedTrials: number
  /** The least n by which half of all walks, or 95 % of them, have ended. */
  readonly medianTrials: number
  readonly trials95: number
}

/** What may be dropped in all: a count with less than DUST / cap is. A trial adds one count, so cap + 1 are the most. */
const DUST = 1e-16

/** For each n in 0..cap, the probability of ending there, on either side. */
interface Ends {
  readonly won: Float64Array
  readonly held: Float64Array
}

const at = (array: Float64Array | Int32Array, index: number): number => array[index] ?? 0

/** One trial: each mass[w], low <= w <= high, splits into a loss (stays) and a win (moves to w + 1). */
function advance(mass: Float64Array, low: number, high: number, p: number): void {
  let won = 0
  for (let w = low; w <= high; w++) {
    const here = at(mass, w)
    mass[w] = here * (1 - p) + won
    won = here * p
  }
  mass[high + 1] = won
}

/**
 * The probability of ending at n, for n in 0..cap: `won` with at least win[n] wins, `held` with at most hold[n].
 * Dynamic programming over the number of wins. What is dropped counts as ended on its side, so a tail is never too small.
 */
export function absorb(p: number, win: Int32Array, hold: Int32Array): Ends {
  const cap = win.length - 1
  const won = new Float64Array(cap + 1)
  const held = new Float64Array(cap + 1)
  const mass = new Float64Array(cap + 2)
  mass[0] = 1
  for (let n = 1, low = 0, high = 0; n <= cap && low <= high; n++) {
    advance(mass, low, high++, p)
    let above = 0
    let below = 0
    while (low <= high && (high >= at(win, n) || at(mass, high) < DUST / cap)) above += at(mass, high--)
    while (low <= high && (low <= at(hold, n) || at(mass, low) < DUST / cap)) below += at(mass, low++)
    won[n] = above
    held[n] = below
  }
  return { won, held }
}

/** Sums over n. The probabilities may lack 1e-13 of 1, far less than the quantiles could notice. */
export function summarise({ won, held }: Ends): End {
  const end = { win: 0, hold: 0, expectedTrials: 0, medianTrials: 0, trials95: 0 }
  for (let n = 1; n < won.length; n++) {
    end.win += at(won, n)
    end.hold += at(held, n)
    end.expectedTrials += n * (at(won, n) + at(held, n))
    if (end.medianTrials === 0 && end.win + end.hold >= 0.5) end.medianTrials = n
    if (end.trials95 === 0 && end.win + end.hold >= 0.95) end.trials95 = n
  }
  return end
}

/**
 * How often, and how soon, the contender of true strength `p` wins or holds under `verdict`, one look a trial.
 *
 * Exact boundaries; probabilities in floats, within 1e-12. Time and memory grow as cap^1.5 and cap. Says nothing of
 * trials that depend on each other or of a p that changes.
 *
 * Source: Armitage, McPherson and Rowe (1969), doi:10.2307/2343787. Vectors: vectors/wilson/walk.json.
 * @throws RangeError unless 0 <= p <= 1, and as `verdict` does.
 */
export function walk({ p, ratioPpm, rule }: Walk): End {
  checkContest({ ratioPpm, rule })
  within('p', p, 0, 1)
  return summarise(absorb(p, winBoundary(ratioPpm, rule), holdBoundary(ratioPpm, rule)))
}

/**
 * The probability that the lower bound ever reaches the ratio within `cap` looks if nothing stops the walk before:
 * `walk`'s win without HOLD, hence never less. What `calibrate` keeps under alpha. Floats, within 1e-12; mass too small
 * to follow (under 1e-15 in all) counts as crossed.
 *
 * @throws RangeError as `walk` does.
 */
export function crossing({ p, ratioPpm, rule }: Walk): number {
  checkContest({ ratioPpm, rule })
  within('p', p, 0, 1)
  const { won, held } = absorb(p, winBoundary(ratioPpm, rule), new Int32Array(rule.cap + 1).fill(-1))
  return won.reduce((sum, each) => sum + each, 0) + held.reduce((sum, each) => sum + each, 0)
}
