import type { EnvSpec } from '@affine/envs'

/** How a contender fared in one challenge. Protocol §6.1. */
export type ChallengeVerdict = 'win' | 'loss' | 'tie'

/**
 * What an episode earned, in ppm of what its environment has to give, rounded down. Protocol §6.5.
 */
export function pointsOf(reward: number, { lowestReward, highestReward }: RewardBounds): number {
  return Math.floor((1_000_000 * (reward - lowestReward)) / (highestReward - lowestReward))
}

type RewardBounds = Pick<EnvSpec, 'lowestReward' | 'highestReward'>

/** What the two miners of a challenge got for it. */
interface Rewards {
  readonly champion: { readonly reward: number }
  readonly contender: { readonly reward: number }
}

/** How the contender fared; the higher reward wins. Protocol §6.1. */
export function challengeVerdict({ champion, contender }: Rewards): ChallengeVerdict {
  if (contender.reward > champion.reward) return 'win'
  if (contender.reward < champion.reward) return 'loss'
  return 'tie'
}
