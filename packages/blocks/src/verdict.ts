/** How a contender fared in one challenge. Protocol §6.1. */
export type ChallengeVerdict = 'win' | 'loss' | 'tie'

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
