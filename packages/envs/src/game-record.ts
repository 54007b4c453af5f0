import type { Result } from '@affine/prng'
import { isChallengeId, seedOf, seedOfChecked } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import type { Env } from './env.ts'
import { GAME_SIDES, GameEpisode, type GameSide, type PerSide, rulesOf } from './game-episode.ts'
import {
  type Agent,
  type Answer,
  type Fault,
  type Message,
  promptFault,
  type RecordedMessage,
  type ReplayFault,
  recordable,
  refusal,
  replyIn,
  type Transcript,
} from './replay.ts'
import { lastLineOf } from './text.ts'

/** Whose turn it is in a game, and what is asked. */
export interface GameTurn {
  readonly side: GameSide
  readonly prompt: string
}

/**
 * Plays one challenge of an environment of two players. Of a reply, normalised, the last line is
 * read and recorded. Each agent gets the present prompt alone.
 *
 * No clock, as in `play`: an agent that is late gives `{ fault: 'no-reply' }`, and loses. Rejects
 * with what an agent rejects with. Protocol §3.1.
 * @throws TypeError unless `challengeId` is one, RangeError for an environment of one player.
 */
export async function playGame(
  { spec }: Pick<Env, 'spec'>,
  challengeId: string,
  agents: PerSide<Agent>,
): Promise<PerSide<Transcript>> {
  const course = recordGame(spec, seedOf(challengeId))
  let turn = course.next()
  while (!turn.done) {
    const { side, prompt } = turn.value
    turn = course.next(await agents[side]([{ role: 'user', content: prompt }]))
  }
  return turn.value
}

/** A game as a dialogue: yields the turns, takes the answers, returns both transcripts. */
export function* recordGame(
  spec: EnvSpec,
  seed: number | bigint,
): Generator<GameTurn, PerSide<Transcript>, Answer> {
  const episode = new GameEpisode(spec, seed)
  const messages: PerSide<RecordedMessage[]> = { champion: [], contender: [] }
  const faults: Partial<Record<GameSide, Fault>> = {}
  while (episode.winner === undefined) {
    const { mover, prompt } = episode
    messages[mover].push({ role: 'user', content: prompt })
    const reply = recordable(yield { side: mover, prompt })
    if ('fault' in reply) {
      faults[mover] = reply.fault
      episode.forfeit()
    } else {
      const content = lastLineOf(reply.content)
      messages[mover].push({ ...reply, content })
      episode.reply(content)
    }
  }
  const transcriptOf = (side: GameSide): Transcript => {
    const fault = faults[side]
    const played = { messages: messages[side], reward: episode.rewardOf(side) }
    return fault === undefined ? played : { ...played, fault }
  }
  return { champion: transcriptOf('champion'), contender: transcriptOf('contender') }
}

/** What is recorded of a game that was never begun. Protocol §3.1. */
export function unbegunGame({ spec }: Pick<Env, 'spec'>): PerSide<Transcript> {
  rulesOf(spec)
  const none = { messages: [], reward: spec.lowestReward, fault: 'no-reply' } as const
  return { champion: none, contender: none }
}

/** The same as `replayGameFrom`, from a challenge id. */
export function replayGame(
  env: Pick<Env, 'spec'>,
  challengeId: string,
  recorded: PerSide<readonly Message[]>,
): Result<PerSide<ReplayedSide>, ReplayFault | 'BAD_CHALLENGE_ID'> {
  if (!isChallengeId(challengeId)) return refusal('BAD_CHALLENGE_ID', 'not base58 of 32 bytes')
  return replayGameFrom(env, seedOfChecked(challengeId), recorded)
}

/** The result of one player's part of a game that was played again. */
export type ReplayedSide = { readonly reward: number; readonly fault: boolean }

/**
 * Plays a game again from what was recorded of both players, taking each message from the mover's.
 * Two empty lists are a game that was never begun. A list that ends with a prompt is that player's
 * fault; one without messages can have no fault but `no-reply`.
 *
 * Takes hostile data and never throws if the environment doesn't. Protocol §3.1.
 * @throws RangeError for an environment of one player.
 */
export function replayGameFrom(
  { spec }: Pick<Env, 'spec'>,
  seed: bigint,
  recorded: PerSide<readonly Message[]>,
): Result<PerSide<ReplayedSide>, ReplayFault> {
  const episode = new GameEpisode(spec, seed)
  const missing = GAME_SIDES.find((side) => !Array.isArray(recorded[side]))
  if (missing !== undefined) return refusal('TOO_SHORT', `${missing}: no messages`)
  const isUnbegun = GAME_SIDES.every((side) => recorded[side].length === 0)
  if (isUnbegun) return resultOf((_) => ({ reward: spec.lowestReward, fault: true }))
  const taken = { champion: 0, contender: 0 }
  let faulty: GameSide | undefined
  while (episode.winner === undefined) {
    const { mover } = episode
    const at = taken[mover]
    const messages = recorded[mover].slice(at, at + 2)
    taken[mover] += messages.length
    const wrong = takeTurn(episode, messages)
    if (wrong !== undefined) return refusal(wrong.code, placeText(wrong.code, mover, at + wrong.at))
    if (messages.length === 1) faulty = mover
  }
  const long = GAME_SIDES.find((side) => recorded[side].length > taken[side])
  if (long !== undefined) return refusal('TOO_LONG', placeText('TOO_LONG', long, taken[long]))
  return resultOf((side) => ({ reward: episode.rewardOf(side), fault: side === faulty }))
}

const TURNS: Partial<Record<ReplayFault, string>> = {
  TOO_SHORT: ': it is its turn, and this is missing',
  TOO_LONG: ': out of turn, because the game is over',
}

function placeText(code: ReplayFault, side: GameSide, at: number): string {
  return `${side}, message ${at}${TURNS[code] ?? ''}`
}

/** Plays the mover's next messages, a prompt and a reply; what is wrong with them, if anything. */
function takeTurn(
  episode: GameEpisode,
  messages: readonly Message[],
): { readonly code: ReplayFault; readonly at: 0 | 1 } | undefined {
  if (messages.length === 0) return { code: 'TOO_SHORT', at: 0 }
  const promptWrong = promptFault(messages[0], episode.prompt)
  if (promptWrong !== undefined) return { code: promptWrong, at: 0 }
  if (messages.length === 1) {
    episode.forfeit()
    return undefined
  }
  const line = replyIn(messages[1])
  if (!line.ok) return { code: line.code, at: 1 }
  // Of a reply, its last line alone is recorded.
  if (line.value.includes('\n')) return { code: 'NOT_NORMALISED', at: 1 }
  episode.reply(line.value)
  return undefined
}

const resultOf = (of: (side: GameSide) => ReplayedSide) =>
  ({ ok: true, value: { champion: of('champion'), contender: of('contender') } }) as const
