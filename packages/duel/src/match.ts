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

/** Before the first challenge. */
export const NO_MATCH: Match = Object.freeze({ wins: 0, losses: 0, ties: 0, trials: 0, played: 0, verdict: 'continue' })

type MatchRule = Omit<LaneRule, 'outlierZSquared'>

/**
 * A match after one more challenge. A tie is not a trial, so nothing is decided by it; after a verdict nothing changes.
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function look(match: Match, outcome: Outcome, ratioPpm: number, rule: MatchRule): Match {
  if (match.verdict !== 'continue') return match
  const played = match.played + 1
  if (outcome === 'tie') return { ...match, ties: match.ties + 1, played }
  const trials = match.trials + 1
  const wins = match.wins + (outcome === 'win' ? 1 : 0)
  const reached = verdict({ wins, trials, ratioPpm, rule })
  return { ...match, wins, losses: trials - wins, trials, played, verdict: reached }
}

/**
 * One environment, one lane, nothing trimmed: a look after every decisive challenge, and stop at the verdict.
 * `outcomes` in the order of the challenges' index, never of arrival: who answers slowly answers differently.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function match(outcomes: Iterable<Outcome>, ratioPpm: number, rule: MatchRule): Match {
  let standing = NO_MATCH
  for (const outcome of outcomes) {
    standing = look(standing, outcome, ratioPpm, rule)
    if (standing.verdict !== 'continue') break
  }
  return standing
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
