import { pcg64, type Generator as RandomStream } from '@affine/prng'
import { type EpisodeOrigin, resolveSeed } from './challenge.ts'
import type { EnvSpec, GameRules } from './definition.ts'
import { extractAnswer, recordReply } from './text.ts'

/** The two miners of a challenge, or the two players of a game, by their names in evidence. */
export type Side = 'champion' | 'contender'
export const SIDES = ['champion', 'contender'] as const

export type PerSide<Value> = Readonly<Record<Side, Value>>

export interface OpenTurn {
  /** The side to move. With one player it is always `champion`, regardless of the miner. */
  readonly side: Side
  readonly state: unknown
  /** Prompt of the state. Undefined if it has not been written yet. */
  readonly prompt?: string | undefined
  /** Reward so far. It is 0 in a game of two players. */
  readonly reward: number
}

export interface EpisodeEnd {
  /** The side of the last turn. */
  readonly side: Side
  readonly state: unknown
  /** Total reward of `side`. */
  readonly reward: number
  /** False if the episode was truncated. */
  readonly terminated: boolean
  /** Whether the last turn had no action or an illegal one. */
  readonly isForfeit: boolean
}

/**
 * The turns of an episode up to its end. `next` takes the action of the current turn, or null if
 * the reply is missing or unreadable.
 */
export type EpisodeTurns = Generator<OpenTurn, EpisodeEnd, unknown>

/**
 * Yields the turns of an episode. With `players` 1, a game of two players is played against its
 * scripted opponent. Protocol §3.1.
 *
 * Does not check that actions are in the action space. @throws RangeError for two players in an
 * environment of one player.
 */
export function playTurns(spec: EnvSpec, origin: EpisodeOrigin, players: 1 | 2): EpisodeTurns {
  const seed = resolveSeed(origin)
  if (players === 2) {
    const rules = requireRules(spec)
    const random = pcg64(seed)
    const first = drawFirst(random)
    return takeTurns({ ...spec, ...rules }, { random, first, state: rules.initial(random) })
  }
  if (lastStart?.spec !== spec || lastStart.seed !== seed) {
    const random = pcg64(seed)
    const state = spec.initial(random)
    lastStart = { spec, seed, random, state, prompt: writePrompt(spec, state) }
  }
  return takeTurns(spec, { ...lastStart, random: lastStart.random.copy() })
}

/** The last start, cached because the miners of one challenge play one after the other. */
let lastStart: (EpisodeStart & { readonly spec: EnvSpec; readonly seed: unknown }) | undefined

interface EpisodeStart {
  readonly random: RandomStream
  readonly state: unknown
  /** The side that moves first in a game of two players. Omitted for one player. */
  readonly first?: Side
  readonly prompt?: string
}

/** Yields the turns of one player, or of two players alternately. */
export function* takeTurns(spec: EnvSpec, start: EpisodeStart): EpisodeTurns {
  const { random, first } = start
  let side = first ?? 'champion'
  let { state, prompt }: { state: unknown; prompt?: string | undefined } = start
  let reward = 0
  for (let left = spec.maxSteps - 1; ; left--) {
    const action = yield { side, state, prompt, reward }
    prompt = undefined
    const moved = action === null ? null : spec.step(state, action, random)
    if (moved === null)
      return { side, state, reward: spec.lowestReward, terminated: true, isForfeit: true }
    const { terminated } = moved
    state = moved.state
    reward += moved.reward
    if (terminated || left === 0) return { side, state, reward, terminated, isForfeit: false }
    if (first !== undefined) side = getOtherSide(side)
  }
}

/** Returns the prompt of a state. */
export const writePrompt = (spec: EnvSpec, state: unknown): string =>
  spec.prompt(spec.observe(state))

/** Returns the side that moves first: the first draw of a challenge. */
export const drawFirst = (random: RandomStream): Side => SIDES[random.integers(0, 2) as 0 | 1]

/** Returns the reward of a side. The sides' rewards add up to the lowest plus the highest. */
export function computeReward(spec: EnvSpec, end: EpisodeEnd, side: Side): number {
  return side === end.side ? end.reward : spec.lowestReward + spec.highestReward - end.reward
}

const getOtherSide = (side: Side): Side => (side === 'champion' ? 'contender' : 'champion')

/** Returns the rules for two players. @throws RangeError for an environment of one player. */
export function requireRules({ id, game }: EnvSpec): GameRules {
  if (game === undefined)
    throw new RangeError(`"env" expected an environment of two players, got ${id}`)
  return game
}

/** Returns the action of a recorded reply, or null if it states no action of the action space. */
export function readAction(spec: EnvSpec, reply: string): unknown {
  const action = spec.parse(extractAnswer(reply))
  return spec.actionSpace.contains(action) ? action : null
}

/**
 * Returns the text that a game records for a reply: the formatted action or, if it is null, the
 * answer.
 */
export function formatReply(spec: EnvSpec, action: unknown, reply: string): string {
  return action === null ? extractAnswer(reply) : spec.format(action)
}

export type Message = { readonly role: 'user' | 'assistant'; readonly content: string }

/** The reason for which a transcript ends with a prompt, not a reply. */
export type Fault = 'no-reply'

/** `invocation` is the platform's id of the call, `ms` its duration. Neither affects an episode. */
export type Reply = { readonly content: string; readonly invocation?: string; readonly ms?: number }

export type Answer = Reply | { readonly fault: Fault }

/**
 * Answers a conversation that ends with a prompt. The messages are copies with only role and
 * content.
 */
export type Agent = (messages: readonly Message[]) => Promise<Answer> | Answer

export type RecordedMessage = Message & Partial<Reply>

export type Transcript = {
  readonly messages: readonly RecordedMessage[]
  readonly reward: number
  readonly fault?: Fault
}

export const listReplies = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)

/**
 * Plays one episode with `agent`. Each reply is read, recorded, and repeated in later turns, in the
 * form that `recordReply` returns. One `Env` can serve concurrent plays.
 *
 * Has no clock: an agent implements a deadline by answering `{ fault: 'no-reply' }`. Rejects with
 * the agent's error. Protocol §3.1.
 * @throws TypeError for a text that is not a challenge id.
 */
export async function play(
  { spec }: { readonly spec: EnvSpec },
  origin: EpisodeOrigin,
  agent: Agent,
): Promise<Transcript> {
  const dialogue = record(spec, origin, 1)
  return (await runDialogue(dialogue, { champion: agent, contender: agent })).champion
}

/**
 * Plays one episode of an environment of two players. Records only the answer of a reply, as the
 * environment formats it. Each agent receives only the current prompt.
 *
 * Like `play`, has no clock, and rejects with an agent's error. Protocol §3.1.
 * @throws TypeError for a text that is not a challenge id, RangeError for an environment of one
 *   player.
 */
export async function playGame(
  { spec }: { readonly spec: EnvSpec },
  origin: EpisodeOrigin,
  agents: PerSide<Agent>,
): Promise<PerSide<Transcript>> {
  return runDialogue(record(spec, origin, 2), agents)
}

/**
 * Returns the transcripts of a game that never began. Protocol §3.1.
 * @throws RangeError for an environment of one player.
 */
export function unbegunGame({ spec }: { readonly spec: EnvSpec }): PerSide<Transcript> {
  requireRules(spec)
  const none = { messages: [], reward: spec.lowestReward, fault: 'no-reply' } as const
  return { champion: none, contender: none }
}

/** The side to ask, and its conversation up to the current prompt; in a game only that prompt. */
interface OpenQuestion {
  readonly side: Side
  readonly messages: readonly Message[]
}

type Dialogue = Generator<OpenQuestion, PerSide<Transcript>, Answer>

async function runDialogue(
  dialogue: Dialogue,
  agents: PerSide<Agent>,
): Promise<PerSide<Transcript>> {
  let question = dialogue.next()
  while (!question.done) {
    const { side, messages } = question.value
    question = dialogue.next(await agents[side](messages))
  }
  return question.value
}

/**
 * Plays an episode as a dialogue: yields questions, takes answers, returns transcripts. With one
 * player, only the champion's transcript is meaningful. Protocol §3.1.
 */
export function* record(spec: EnvSpec, origin: EpisodeOrigin, players: 1 | 2): Dialogue {
  const turns = playTurns(spec, origin, players)
  const messages: PerSide<RecordedMessage[]> = { champion: [], contender: [] }
  let fault: Fault | undefined
  let turn = turns.next()
  while (!turn.done) {
    const { side, state, prompt = writePrompt(spec, state) } = turn.value
    const own = messages[side]
    own.push({ role: 'user', content: prompt })
    const shown = players === 1 ? own : own.slice(-1)
    const reply = yield { side, messages: shown.map(({ role, content }) => ({ role, content })) }
    if ('fault' in reply) {
      fault = 'no-reply'
      turn = turns.next(null)
      continue
    }
    const recorded = recordReply(reply.content)
    const action = readAction(spec, recorded)
    const content = players === 1 ? recorded : formatReply(spec, action, recorded)
    own.push({ ...reply, role: 'assistant', content })
    turn = turns.next(action)
  }
  const end: EpisodeEnd = turn.value
  const createTranscript = (side: Side): Transcript => {
    const played = { messages: messages[side], reward: computeReward(spec, end, side) }
    return fault !== undefined && side === end.side ? { ...played, fault } : played
  }
  return { champion: createTranscript('champion'), contender: createTranscript('contender') }
}
