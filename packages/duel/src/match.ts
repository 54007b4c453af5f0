import { verdict } from '@affine/wilson'
import type { LaneRule } from './protocol.ts'

/** How one challenge ended for the contender. */
export type Outcome = 'win' | 'loss' | 'tie'
export type Verdict = 'win' | 'hold' | 'continue'

export interface Match {
  readonly wins: number
  readonly losses: number
  readonly ties: number
  /** Decisive challenges, `wins + losses`. */
  readonly trials: number
  /** Challenges looked at: none after the verdict. */
  readonly played: number
  readonly verdict: Verdict
}

/**
 * One environment, one lane, nothing trimmed: a look after every decisive challenge, and stop at the verdict.
 * `outcomes` in the order of the challenges' index, never of arrival: who answers slowly answers differently.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function match(outcomes: Iterable<Outcome>, ratioPpm: number, rule: Omit<LaneRule, 'outlierZSquared'>): Match {
  const counts = { win: 0, loss: 0, tie: 0 }
  let reached: Verdict = 'continue'
  for (const outcome of outcomes) {
    counts[outcome] += 1
    if (outcome === 'tie') continue
    reached = verdict({ wins: counts.win, trials: counts.win + counts.loss, ratioPpm, rule })
    if (reached !== 'continue') break
  }
  const { win: wins, loss: losses, tie: ties } = counts
  return { wins, losses, ties, trials: wins + losses, played: wins + losses + ties, verdict: reached }
}

/**
 * Who has the throne, given each environment's verdict: the contender with ⌈(N + margin)/2⌉ wins of the N that are not
 * even, the champion as soon as those are out of reach or nothing is left in N. Undefined while it is open.
 */
export function outcome(
  verdicts: Readonly<Record<string, Verdict | 'even'>>,
  margin: number,
): 'contender' | 'champion' | undefined {
  const counted = Object.values(verdicts).filter((verdict) => verdict !== 'even')
  const wins = counted.filter((verdict) => verdict === 'win').length
  const open = counted.filter((verdict) => verdict === 'continue').length
  const bar = counted.length + margin
  if (counted.length === 0 || 2 * (wins + open) < bar) return 'champion'
  return 2 * wins >= bar ? 'contender' : undefined
}
