import {
  type ChallengePair,
  createPairing,
  type Episode,
  type LaneChallenge,
  makeLaneEnvs,
  planLane,
  type Sample,
  type Scope,
} from '@affine/blocks'
import { type Agent, make, play, playGame, type Transcript } from '@affine/envs'
import type { Hash } from '@affine/prng'

/** Returns the agent of a miner in a challenge. */
export type AgentFor = (miner: string, challenge: LaneChallenge) => Agent

/** Plays the samples of a lane in the order of its plan. */
export async function playPlan(
  scope: Scope,
  secret: Hash,
  agentFor: AgentFor,
): Promise<readonly Sample[]> {
  const envs = makeLaneEnvs(scope, secret)
  const samples: Sample[] = []
  for (const planned of planLane(scope)) {
    const { env, index } = planned
    const challengeId = envs.get(env)?.challengeAt(planned).id ?? ''
    const challenge = { env, index, challengeId }
    const agentOf = (miner: string) => agentFor(miner, challenge)
    if ('miner' in planned) {
      const played = await play(make(env), challengeId, agentOf(planned.miner))
      samples.push({ ...challenge, ...episodeOf(planned.miner, played) })
      continue
    }
    const { champion, contender } = planned
    const agents = { champion: agentOf(champion), contender: agentOf(contender) }
    const game = await playGame(make(env), challengeId, agents)
    samples.push({
      ...challenge,
      champion: episodeOf(champion, game.champion),
      contender: episodeOf(contender, game.contender),
    })
  }
  return samples
}

function episodeOf(miner: string, transcript: Transcript): Episode {
  const ms = transcript.messages.reduce((sum, message) => sum + (message.ms ?? 0), 0)
  return { miner, ...transcript, ms }
}

/** Returns each contender's samples of a lane, paired with the champion's. */
export function pairsOf(samples: readonly Sample[]): readonly ChallengePair[] {
  const pairOf = createPairing()
  return samples.flatMap((sample) => pairOf(sample) ?? [])
}

/** Returns the difference between the contender's reward and the champion's. */
export const leadIn = ({ champion, contender }: ChallengePair): number =>
  contender.reward - champion.reward
