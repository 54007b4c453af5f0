import { countedAttestations, isFrozen } from './acceptance.ts'
import { activeBefore, votingStakes } from './active.ts'
import type { CountedAttestations, DuelSnapshot } from './snapshot.ts'
import type { Duel, State } from './state.ts'
import { stakesOf, weighVoters } from './voters.ts'

/** The voters of a duel that would start now, and those of them whose attestation counts. */
export interface Quorum extends Pick<Duel, 'weights' | 'stakes'> {
  readonly heard: CountedAttestations
}

/**
 * The voters of a duel that would start after the epoch that `state` governs, with the trust that
 * they have by then. Protocol §8.1.
 */
export function quorumIn(
  state: State,
  snapshot: DuelSnapshot,
  trust: State['trust'] = state.trust,
): Quorum {
  const voting = votingStakes(activeBefore(state, snapshot), snapshot)
  const weights = weighVoters(voting, trust, snapshot.protocol)
  const heard = countedAttestations(state, snapshot)
  return { weights, stakes: stakesOf(weights, voting), heard }
}

/** May a duel start? As much weight attests as thaws an epoch. Protocol §8.1. */
export const hasQuorum = (quorum: Quorum): boolean => !isFrozen(quorum)
