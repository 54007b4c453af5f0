import {
  isChallengeId,
  make,
  registry,
  replay,
  replayGame,
  type Side,
  type Transcript,
} from '@affine/envs'
import type { ChallengePair } from './line.ts'

type PlayedPair<Played extends Side> = Pick<ChallengePair, 'env' | 'challengeId' | Played>

/** Reports whether a pair is a game that was never begun: no side forfeits it. Protocol §3.1. */
export const isUnbegun = ({ champion, contender }: Pick<ChallengePair, Side>): boolean =>
  [champion, contender].every(({ messages, fault }) => messages.length === 0 && fault !== undefined)

/**
 * Returns the reason for which a side forfeited a challenge: its fault, `unreadable` for a reply
 * that is not an action, `illegal` for an action that the rules forbid. Undefined without a
 * forfeit, if the game was never begun, or if the transcript cannot be replayed. Never throws.
 */
export function findForfeit(pair: PlayedPair<Side>, side: Side): string | undefined {
  const { env, challengeId, champion, contender } = pair
  const { game, lowestReward } = registry.get(env) ?? {}
  // A forfeit has the lowest reward, so an episode with a higher reward needs no replay.
  if (pair[side].reward !== lowestReward) return undefined
  if (game === undefined) return findEpisodeForfeit(pair, pair[side])
  const recorded = { champion: champion.messages, contender: contender.messages }
  if (isUnbegun(pair) || !isChallengeId(challengeId)) return undefined
  const replayed = replayGame(make(env), challengeId, recorded)
  if (!replayed.ok) return undefined
  return pair[side].fault ?? replayed.value[side].forfeit
}

/**
 * Returns the reason for which a player forfeited an episode, as `findForfeit` does. A game's
 * scripted opponent has this `strength`.
 */
export function findEpisodeForfeit(
  { env, challengeId, strength }: PlayedPair<never> & { readonly strength?: number | undefined },
  { messages, fault }: Transcript,
): string | undefined {
  if (!registry.has(env) || !isChallengeId(challengeId)) return undefined
  const replayed = replay(make(env, { strength }), challengeId, messages)
  return replayed.ok ? (replayed.value.forfeit ?? fault) : undefined
}
