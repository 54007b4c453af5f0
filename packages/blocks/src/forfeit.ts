import { make, registry, replay, replayGame, type Side, type Transcript } from '@affine/envs'
import type { ChallengePair } from './line.ts'

type ChallengeEpisodes<Played extends Side> = Pick<ChallengePair, 'env' | 'challengeId' | Played>

/** Is it a game that was never begun? That is nobody's forfeit. Protocol §3.1. */
export const isUnbegun = ({ champion, contender }: Pick<ChallengePair, Side>): boolean =>
  [champion, contender].every(({ messages, fault }) => messages.length === 0 && fault !== undefined)

/**
 * Why a side forfeited a challenge: its fault, `unreadable` for a reply that is no action,
 * `illegal` for one that is not allowed there. Undefined when it did not, when nobody began the
 * game, or when the transcript does not replay. Never throws, whatever the pair.
 */
export function forfeitOf(pair: ChallengeEpisodes<Side>, side: Side): string | undefined {
  const { env, challengeId, champion, contender } = pair
  const { game, lowestReward } = registry.get(env) ?? {}
  // A forfeit's reward is the lowest: what earned more is not played again.
  if (pair[side].reward !== lowestReward) return undefined
  if (game === undefined) return forfeitIn(pair, pair[side])
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGame(make(env), challengeId, recorded)
  if (isUnbegun(pair) || !replayed.ok) return undefined
  return pair[side].fault ?? replayed.value[side].forfeit
}

/** The same for what one player played: of a game, against the scripted opponent of a strength. */
export function forfeitIn(
  { env, challengeId, strength }: ChallengeEpisodes<never> & { readonly strength?: number | undefined },
  { messages, fault }: Transcript,
): string | undefined {
  if (!registry.has(env)) return undefined
  const replayed = replay(make(env, { strength }), challengeId, messages)
  return replayed.ok ? (replayed.value.forfeit ?? fault) : undefined
}
