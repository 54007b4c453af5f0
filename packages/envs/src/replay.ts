import type { Result } from '@affine/prng'
import type { EpisodeOrigin } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import type { Env } from './env.ts'
import {
  computeReward,
  formatReply,
  type Message,
  type PerSide,
  playTurns,
  readAction,
  requireRules,
  SIDES,
  type Side,
  writePrompt,
} from './episode.ts'
import { isRecorded } from './text.ts'

/**
 * TOO_SHORT: no messages, or the last message is a reply and the episode continues. TOO_LONG:
 * messages after the end of the episode. PROMPT_DIFFERS: the environment has another prompt.
 * NOT_NORMALISED: `play` would have recorded the reply differently. WRONG_ROLE: prompts and replies
 * do not alternate, or an item is not a message.
 */
type ReplayFault = 'TOO_SHORT' | 'TOO_LONG' | 'PROMPT_DIFFERS' | 'NOT_NORMALISED' | 'WRONG_ROLE'

export interface ReplayedSide {
  readonly reward: number
  /** Whether the last prompt has no reply, or the game never began. */
  readonly fault: boolean
  /**
   * The reason for which the player's last reply lost: it has no action, or its action is illegal
   * in the state that the prompt shows. Undefined otherwise.
   */
  readonly forfeit?: 'unreadable' | 'illegal'
}

/**
 * Replays an episode from recorded messages, with the code that played it. Messages that end with a
 * prompt are an episode that ended with a fault. Does not check who caused that fault or which
 * reward was recorded. Ignores the fields of a message except role and content.
 *
 * Accepts hostile messages of any type, and never throws because of them if the environment does
 * not. Protocol §3.1.
 * @throws TypeError for a text that is not a challenge id.
 */
export function replay(
  { spec }: Pick<Env, 'spec'>,
  origin: EpisodeOrigin,
  messages: readonly Message[],
): Result<ReplayedSide, ReplayFault> {
  if (!Array.isArray(messages)) return failure('TOO_SHORT', 'no messages')
  const replayed = replayTurns(spec, origin, { champion: messages, contender: [] }, 1)
  return replayed.ok ? { ok: true, value: replayed.value.champion } : replayed
}

/**
 * Replays a game from the recorded messages of both players. The messages of each turn are in the
 * mover's list. Two empty lists are a game that never began. If a list ends with a prompt, its
 * player did not reply.
 *
 * Accepts hostile messages, as `replay` does. Protocol §3.1.
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
  if (missing !== undefined) return failure('TOO_SHORT', `${missing}: no messages`)
  if (SIDES.some((side) => recorded[side].length > 0)) return replayTurns(spec, origin, recorded, 2)
  const none = { reward: spec.lowestReward, fault: true }
  return { ok: true, value: { champion: none, contender: none } }
}

function replayTurns(
  spec: EnvSpec,
  origin: EpisodeOrigin,
  lists: PerSide<readonly Message[]>,
  players: 1 | 2,
): Result<PerSide<ReplayedSide>, ReplayFault> {
  const taken = { champion: 0, contender: 0 }
  const turns = playTurns(spec, origin, players)
  let turn = turns.next()
  let reply: Message | undefined
  let action: unknown
  while (!turn.done) {
    const { side, state, prompt = writePrompt(spec, state) } = turn.value
    const [messages, at] = [lists[side], taken[side]]
    const flaw = findTurnFlaw(messages, at, prompt)
    if (flaw !== undefined) return reject(flaw.code, side, flaw.at, players)
    reply = messages[at + 1]
    const content = reply?.content ?? ''
    action = reply === undefined ? null : readAction(spec, content)
    if (players === 2 && reply !== undefined && formatReply(spec, action, content) !== content)
      return reject('NOT_NORMALISED', side, at + 1, players)
    taken[side] += 2
    turn = turns.next(action)
  }
  const longer = SIDES.find((side) => lists[side].length > taken[side])
  if (longer !== undefined) return reject('TOO_LONG', longer, taken[longer], players)
  const end = turn.value
  const resultOf = (side: Side): ReplayedSide => {
    const reward = computeReward(spec, end, side)
    if (!end.isForfeit || side !== end.side) return { reward, fault: false }
    if (reply === undefined) return { reward, fault: true }
    return { reward, fault: false, forfeit: action === null ? 'unreadable' : 'illegal' }
  }
  return { ok: true, value: { champion: resultOf('champion'), contender: resultOf('contender') } }
}

const reject = (code: ReplayFault, side: Side, at: number, players: 1 | 2) =>
  failure(code, players === 1 ? `message ${at}` : `${side}, message ${at}`)

/**
 * Returns the first flaw in a turn's messages, which begin at index `at`, and the index of the
 * flawed message. Undefined without a flaw.
 */
function findTurnFlaw(
  messages: readonly Message[],
  at: number,
  prompt: string,
): { readonly code: ReplayFault; readonly at: number } | undefined {
  if (at === messages.length) return { code: 'TOO_SHORT', at }
  const { role, content }: Unread = Object(messages[at])
  if (role !== 'user' || typeof content !== 'string') return { code: 'WRONG_ROLE', at }
  if (content !== prompt) return { code: 'PROMPT_DIFFERS', at }
  const code = at + 1 === messages.length ? undefined : findReplyFlaw(messages[at + 1])
  return code && { code, at: at + 1 }
}

/** A message that has not been checked. */
type Unread = Readonly<Partial<Record<keyof Message, unknown>>>

/** Returns the flaw of a recorded reply, or undefined. Protocol §3.1. */
function findReplyFlaw(message: unknown): ReplayFault | undefined {
  const { role, content }: Unread = Object(message)
  if (role !== 'assistant' || typeof content !== 'string') return 'WRONG_ROLE'
  return isRecorded(content) ? undefined : 'NOT_NORMALISED'
}

const failure = <Code extends string>(code: Code, detail: string) =>
  ({ ok: false, code, detail }) as const
