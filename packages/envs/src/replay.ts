import type { Result } from '@affine/prng'
import type { EpisodeOrigin } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import type { Env } from './env.ts'
import {
  actionIn,
  computeReward,
  type EpisodeEnd,
  formatReply,
  type Message,
  type PerSide,
  requireRules,
  SIDES,
  type Side,
  turnsOf,
} from './episode.ts'
import { isRecorded } from './text.ts'

/**
 * TOO_SHORT: no messages, or the last is a reply and the episode goes on. TOO_LONG: messages after
 * its end. PROMPT_DIFFERS: the environment asks something else here. NOT_NORMALISED: a reply that
 * `play` would not have recorded so. WRONG_ROLE: prompts and replies do not alternate, or an item
 * is no message.
 */
type ReplayFault = 'TOO_SHORT' | 'TOO_LONG' | 'PROMPT_DIFFERS' | 'NOT_NORMALISED' | 'WRONG_ROLE'

/** What an episode that was played again came to for one player. */
export interface ReplayedSide {
  readonly reward: number
  /** Was there no usable reply to its last prompt? */
  readonly fault: boolean
  /** Of a last reply that is no action, or one that is not allowed there. */
  readonly forfeit?: 'unreadable' | 'illegal'
}

/**
 * Runs an episode again over recorded messages: the same code that played it, so there is no second
 * judge. Messages that end with a prompt are an episode that ended with a fault. Whether that fault
 * was the agent's, and what the recorded reward says, is not its business; other fields of a
 * message are ignored.
 *
 * Takes hostile data, parsed from JSON or of any wrong type, and never throws if the environment
 * doesn't. Protocol §3.1.
 * @throws TypeError for a text that is not a challenge id.
 */
export function replay(
  { spec }: Pick<Env, 'spec'>,
  origin: EpisodeOrigin,
  messages: readonly Message[],
): Result<ReplayedSide, ReplayFault> {
  if (!Array.isArray(messages)) return refusal('TOO_SHORT', 'no messages')
  const replayed = replayTurns(spec, origin, { champion: messages, contender: [] }, 1)
  return replayed.ok ? { ok: true, value: replayed.value.champion } : replayed
}

/**
 * Plays a game again from what was recorded of both players, taking each message from the mover's.
 * Two empty lists are a game that was never begun. A list that ends with a prompt is that player's
 * fault.
 *
 * Takes hostile data and never throws if the environment doesn't. Protocol §3.1.
 * @throws TypeError for a text that is not a challenge id, RangeError for an environment of one
 *   player.
 */
export function replayGame(
  { spec }: Pick<Env, 'spec'>,
  origin: EpisodeOrigin,
  recorded: PerSide<readonly Message[]>,
): Result<PerSide<ReplayedSide>, ReplayFault> {
  requireRules(spec)
  const missing = SIDES.find((side) => !Array.isArray(recorded[side]))
  if (missing !== undefined) return refusal('TOO_SHORT', `${missing}: no messages`)
  if (SIDES.some((side) => recorded[side].length > 0)) return replayTurns(spec, origin, recorded, 2)
  const none = { reward: spec.lowestReward, fault: true }
  return { ok: true, value: { champion: none, contender: none } }
}

/** What comes of recorded messages for both sides, or the first thing that is wrong with them. */
function replayTurns(
  spec: EnvSpec,
  origin: EpisodeOrigin,
  lists: PerSide<readonly Message[]>,
  players: 1 | 2,
): Result<PerSide<ReplayedSide>, ReplayFault> {
  const refused = (code: ReplayFault, side: Side, at: number) =>
    refusal(code, `${players === 1 ? '' : `${side}, `}message ${at}${REASONS[code] ?? ''}`)
  const taken = { champion: 0, contender: 0 }
  const turns = turnsOf(spec, origin, players)
  let turn = turns.next()
  let action: unknown = null
  let hasReply = false
  while (!turn.done) {
    const { side, observation, prompt = spec.prompt(observation) } = turn.value
    const [messages, at] = [lists[side], taken[side]]
    const wrong = turnFault(messages, at, prompt)
    if (wrong !== undefined) return refused(wrong.code, side, wrong.at)
    const reply = messages[at + 1]
    hasReply = reply !== undefined
    taken[side] += hasReply ? 2 : 1
    action = reply === undefined ? null : actionIn(spec, reply.content)
    const isWhole = players === 1 || reply === undefined
    if (!isWhole && formatReply(spec, action, reply.content) !== reply.content)
      return refused('NOT_NORMALISED', side, at + 1)
    turn = turns.next(action)
  }
  const long = SIDES.find((side) => lists[side].length > taken[side])
  if (long !== undefined) return refused('TOO_LONG', long, taken[long])
  const last = { hasReply, action }
  const champion = createResult(spec, turn.value, 'champion', last)
  const contender = createResult(spec, turn.value, 'contender', last)
  return { ok: true, value: { champion, contender } }
}

function createResult(
  spec: EnvSpec,
  end: EpisodeEnd,
  side: Side,
  { hasReply, action }: { hasReply: boolean; action: unknown },
): ReplayedSide {
  const reward = computeReward(spec, end, side)
  if (side !== end.side || !end.isForfeit) return { reward, fault: false }
  if (!hasReply) return { reward, fault: true }
  return { reward, fault: false, forfeit: action === null ? 'unreadable' : 'illegal' }
}

const REASONS: Partial<Record<ReplayFault, string>> = {
  TOO_SHORT: ': it is its turn, and this is missing',
  TOO_LONG: ': out of turn, because the game is over',
}

/** The first thing that is wrong with a turn's messages, which begin at `at`, and where it is. */
function turnFault(
  messages: readonly Message[],
  at: number,
  prompt: string,
): { readonly code: ReplayFault; readonly at: number } | undefined {
  if (at === messages.length) return { code: 'TOO_SHORT', at }
  const { role, content }: Unread = Object(messages[at])
  if (role !== 'user' || typeof content !== 'string') return { code: 'WRONG_ROLE', at }
  if (content !== prompt) return { code: 'PROMPT_DIFFERS', at }
  const code = at + 1 === messages.length ? undefined : replyFault(messages[at + 1])
  return code && { code, at: at + 1 }
}

/** A message of which nothing is known. */
type Unread = Readonly<Partial<Record<keyof Message, unknown>>>

/** What is wrong with a message, if it is no reply that could have been recorded. Protocol §3.1. */
function replyFault(message: unknown): ReplayFault | undefined {
  const { role, content }: Unread = Object(message)
  if (role !== 'assistant' || typeof content !== 'string') return 'WRONG_ROLE'
  return isRecorded(content) ? undefined : 'NOT_NORMALISED'
}

const refusal = <Code extends string>(code: Code, detail: string) =>
  ({ ok: false, code, detail }) as const
