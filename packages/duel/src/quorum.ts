import { countedAttestations, isFrozen } from './acceptance.ts'
import { activeBefore, votingStakes } from './active.ts'
import type { CountedAttestations, DuelSnapshot } from './snapshot.ts'
import type { Duel, State } from './state.ts'
import { stakesOf, weighVoters } from './voters.ts'

/** The voters of a duel that would start now, and those whose attestation counts. */
export interface Quorum extends Pick<Duel, 'weights' | 'stakes'> {
  readonly heard: CountedAttestations
}

/** The voters of a duel that would start after the epoch that `state` governs. Protocol §8.1. */
export const quorumIn = (state: State, snapshot: DuelSnapshot): Quorum =>
  quorumOf(state, snapshot, countedAttestations(state, snapshot))

/** As `quorumIn`, where it is known who attests. */
export function quorumOf(
  state: Pick<State, 'attested' | 'epoch' | 'protocol' | 'trust'>,
  snapshot: DuelSnapshot,
  heard: CountedAttestations,
): Quorum {
  const voting = votingStakes(activeBefore(state, snapshot), snapshot)
  const weights = weighVoters(voting, state.trust, snapshot.protocol)
  return { weights, stakes: stakesOf(weights, voting), heard }
}

/** May a duel start? It takes as much weight that attests as an epoch that counts. Protocol §8.1. */
export const hasQuorum = (quorum: Quorum): boolean => !isFrozen(quorum)
