import {
  type EnvSpec,
  GameEpisode,
  type GameSide,
  make,
  type PerSide,
  registry,
  replay,
  replayGame,
  seedOf,
  type Transcript,
} from '@affine/envs'
import { pcg64 } from '@affine/prng'
import type { Sample } from './line.ts'

type PlayedSides = Pick<Sample, GameSide>
type PlayedBy<Side extends GameSide> = Pick<Sample, 'env' | 'challengeId' | Side>

/** Is a sample a game that was never begun? That is nobody's forfeit. Protocol §3.1. */
export const isUnbegun = ({ champion, contender }: PlayedSides): boolean =>
  [champion, contender].every(({ messages, fault }) => messages.length === 0 && fault !== undefined)

/**
 * Why a side forfeited a challenge: its fault, `unreadable` for a reply that is no action,
 * `illegal` for one that is not allowed there. Undefined when it did not, when nobody began the
 * game, or when the transcript does not replay. Never throws, whatever the sample.
 */
export function forfeitOf(sample: PlayedBy<GameSide>, side: GameSide): string | undefined {
  const spec = registry.get(sample.env)
  if (spec?.game === undefined) return forfeitIn(sample, sample[side])
  return forfeitInGame(spec, sample, side)
}

/** The same for what one player played: of a game, against the scripted opponent. */
export function forfeitIn(
  { env: id, challengeId }: PlayedBy<never>,
  { messages, fault, reward }: Transcript,
): string | undefined {
  if (!registry.has(id)) return undefined
  const env = make(id)
  const isForfeit = reward <= env.spec.lowestReward
  if (!isForfeit || !replay(env, challengeId, messages).ok) return undefined
  const replies = messages.filter(({ role }) => role === 'assistant')
  const random = pcg64(seedOf(challengeId))
  let state = env.spec.initial(random)
  for (const { content } of replies) {
    const action = env.parse(content)
    if (action === null) return 'unreadable'
    const next = env.spec.step(state, action, random)
    if (next === null) return 'illegal'
    state = next.state
  }
  return fault
}

/** A game that a reply ended was forfeited by the loser if that reply was its own. */
function forfeitInGame(
  spec: EnvSpec,
  { challengeId, champion, contender }: PlayedBy<GameSide>,
  side: GameSide,
): string | undefined {
  const recorded = { champion: champion.messages, contender: contender.messages }
  if (isUnbegun({ champion, contender })) return undefined
  if (!replayGame({ spec }, challengeId, recorded).ok) return undefined
  const { fault, reward, messages } = side === 'champion' ? champion : contender
  if (fault !== undefined) return fault
  const start = new GameEpisode(spec, seedOf(challengeId))
  const hasFault = champion.fault !== undefined || contender.fault !== undefined
  if (hasFault || reward > spec.lowestReward || !hasLastReply(side, start, recorded))
    return undefined
  const action = spec.parse(messages.at(-1)?.content ?? '')
  return spec.actionSpace.contains(action) ? 'illegal' : 'unreadable'
}

/** Is the last reply of a game this side's? Protocol §3.1. */
function hasLastReply(
  side: GameSide,
  { mover: first }: GameEpisode,
  recorded: PerSide<readonly unknown[]>,
): boolean {
  const second = first === 'champion' ? 'contender' : 'champion'
  return side === (recorded[first].length > recorded[second].length ? first : second)
}
