import { type Rule, type Verdict, verdict } from '@affine/wilson'
import { NOTHING, type Tally } from './evidence.ts'

/** Who has the throne at the end. */
export type Winner = 'contender' | 'champion'

/** How one challenge ended for the contender. */
export type Outcome = 'win' | 'loss' | 'tie'

/**
 * A tally that ends at its verdict: nothing is played after it. `trials` are the decisive
 * challenges, `wins + losses`.
 */
export type Match = Tally & {
  readonly ties: number
  readonly trials: number
  readonly verdict: Verdict
}

/** A match before its first challenge. */
export const NO_MATCH: Match = Object.freeze({
  ...NOTHING,
  ties: 0,
  trials: 0,
  verdict: 'continue',
})

/**
 * The match after one more challenge. A tie is not a trial; a match that has its verdict stays as
 * it is.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function look(match: Match, outcome: Outcome, ratioPpm: number, rule: Rule): Match {
  if (match.verdict !== 'continue') return match
  const [wins, losses] = [
    match.wins + Number(outcome === 'win'),
    match.losses + Number(outcome === 'loss'),
  ]
  const [trials, played] = [wins + losses, match.played + 1]
  return {
    wins,
    losses,
    ties: played - trials,
    trials,
    played,
    verdict: verdict({ wins, trials, ratioPpm, rule }),
  }
}

/**
 * One environment, one lane, nothing trimmed: a look after every challenge, and stop at the
 * verdict. `outcomes` in the order of the challenges' index, never of arrival: who answers slowly
 * answers differently.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function match(outcomes: readonly Outcome[], ratioPpm: number, rule: Rule): Match {
  return outcomes.reduce((match, outcome) => look(match, outcome, ratioPpm, rule), NO_MATCH)
}

/**
 * Who has the throne, given each environment's verdict: the contender with ⌈(N + margin)/2⌉ wins of
 * the N that are not even, the champion as soon as those are out of reach, as they are when N is 0.
 * Undefined while it is open. `margin` is 1 or more.
 */
export function outcome(
  verdicts: Readonly<Record<string, Verdict | 'even'>>,
  margin: number,
): Winner | undefined {
  const counted = Object.values(verdicts).filter((verdict) => verdict !== 'even')
  const wins = counted.filter((verdict) => verdict === 'win').length
  const open = counted.filter((verdict) => verdict === 'continue').length
  const bar = counted.length + margin
  if (2 * (wins + open) < bar) return 'champion'
  return 2 * wins >= bar ? 'contender' : undefined
}
