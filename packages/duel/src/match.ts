import { type Look, lookAt, type Rule } from '@affine/wilson'
import type { Counts } from './tally.ts'

/** How one challenge ended for the contender, as its sample says. */
export type ChallengeOutcome = 'win' | 'loss' | 'tie'

/**
 * A tally that ends at its verdict: nothing is played after it. `trials` are the decisive
 * challenges, `wins + losses`.
 */
export type Match = Counts & {
  readonly ties: number
  readonly trials: number
  readonly verdict: Look
}

/** A match before its first challenge. */
export const NO_MATCH: Match = Object.freeze({
  wins: 0,
  losses: 0,
  played: 0,
  ties: 0,
  trials: 0,
  verdict: 'continue',
})

/** What a match is held against. */
export interface MatchRule {
  readonly ratioPpm: number
  readonly rule: Rule
}

/**
 * The match after one more challenge. A tie is not a trial; a match that has its verdict stays as
 * it is. Protocol §10.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function addChallenge(
  match: Match,
  challenge: ChallengeOutcome,
  { ratioPpm, rule }: MatchRule,
): Match {
  if (match.verdict !== 'continue') return match
  const { wins, losses, ties } = count(match, challenge)
  const trials = wins + losses
  const verdict = lookAt({ wins, trials, ratioPpm, rule })
  return { wins, losses, ties, trials, played: trials + ties, verdict }
}

/** The counts with one more challenge. */
function count({ wins, losses, ties }: Match, challenge: ChallengeOutcome) {
  if (challenge === 'win') return { wins: wins + 1, losses, ties }
  if (challenge === 'loss') return { wins, losses: losses + 1, ties }
  return { wins, losses, ties: ties + 1 }
}

/**
 * One environment, one lane, nothing trimmed: a look after every challenge, and stop at the
 * verdict. `challenges` in the order of their index, never of arrival: who answers slowly answers
 * differently. Protocol §10.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function playMatch(challenges: readonly ChallengeOutcome[], rule: MatchRule): Match {
  return challenges.reduce((match, challenge) => addChallenge(match, challenge, rule), NO_MATCH)
}
