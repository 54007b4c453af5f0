import { isFrozen } from './acceptance.ts'
import { activeBefore, votingStakes } from './active.ts'
import type { CountedAttestations, DuelSnapshot } from './snapshot.ts'
import type { Duel, State } from './state.ts'
import { stakesOf, weighVoters } from './voters.ts'

/** The voters of a duel that starts, or would if it could, and the attestations that count. */
export interface Quorum extends Pick<Duel, 'weights' | 'stakes'> {
  readonly heard: CountedAttestations
}

/** Of a duel that would start after the epoch that `state` governs. Protocol §8.1. */
export function quorumOf(
  state: Pick<State, 'attested' | 'epoch' | 'protocol' | 'trust'>,
  snapshot: DuelSnapshot,
  heard: CountedAttestations,
): Quorum {
  const voting = votingStakes(activeBefore(state, snapshot), snapshot)
  const weights = weighVoters(voting, state.trust, snapshot.protocol)
  return { weights, stakes: stakesOf(weights, voting), heard }
}

/** May a duel start? It takes as much weight that attests as in an epoch. Protocol §8.1. */
export const hasQuorum = (quorum: Quorum): boolean => !isFrozen(quorum)
