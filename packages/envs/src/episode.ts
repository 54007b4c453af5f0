import { pcg64, type Generator as RandomStream } from '@affine/prng'
import { type EpisodeOrigin, resolveSeed } from './challenge.ts'
import type { EnvSpec, GameRules } from './definition.ts'
import { answerOf, recordedOf } from './text.ts'

/** The two miners of a challenge, as evidence calls them: the two players of a game. */
export type Side = 'champion' | 'contender'
export const SIDES = ['champion', 'contender'] as const

/** What there is of each side. */
export type PerSide<Of> = Readonly<Record<Side, Of>>

/** A turn that is to be taken. */
export interface OpenTurn {
  /** Whose it is. An episode of one player has the champion's turns only, whoever plays it. */
  readonly side: Side
  /** What is seen. */
  readonly observation: unknown
  /** The prompt of the observation, if it is known. */
  readonly prompt?: string | undefined
  /** What was earned so far: 0 in a game of two. */
  readonly reward: number
}

export interface EpisodeEnd {
  /** Whose turn was the last one. */
  readonly side: Side
  /** What is seen after it. */
  readonly observation: unknown
  /** What the last turn's side earned in all. */
  readonly reward: number
  /** False where the episode was truncated. */
  readonly terminated: boolean
  /** Did the last turn forfeit, without an action, or with an illegal one? */
  readonly isForfeit: boolean
}

/** An episode from its first turn to its end. Takes an action, or null for none. */
export type EpisodeTurns = Generator<OpenTurn, EpisodeEnd, unknown>

/**
 * The turns of an episode: whatever plays it, replays it or tells of it goes through these. Of a
 * game of two, `players` 1 is the game against the scripted opponent. Protocol §3.1.
 *
 * An action must be in the action space. @throws RangeError for two players where there is one.
 */
export function turnsOf(spec: EnvSpec, origin: EpisodeOrigin, players: 1 | 2): EpisodeTurns {
  const seed = resolveSeed(origin)
  return players === 1
    ? playerTurns(spec, computeStart(spec, seed))
    : gameTurns(spec, requireRules(spec), pcg64(seed))
}

/** Where the episode of a seed begins for one player. */
interface EpisodeStart {
  readonly random: RandomStream
  readonly state: unknown
  readonly prompt?: string
}

/** The start that was computed last: the miners of one challenge share it. */
let last: (EpisodeStart & { readonly spec: EnvSpec; readonly seed: number | bigint }) | undefined

function computeStart(spec: EnvSpec, seed: number | bigint): EpisodeStart {
  if (last?.spec !== spec || last.seed !== seed) {
    const random = pcg64(seed)
    const state = spec.initial(random)
    last = { spec, seed, random, state, prompt: spec.prompt(spec.observe(state)) }
  }
  return { ...last, random: last.random.copy() }
}

/** The turns of one player. */
export function* playerTurns(spec: EnvSpec, start: EpisodeStart): EpisodeTurns {
  const { random } = start
  const side = 'champion'
  let { state, prompt }: { state: unknown; prompt?: string | undefined } = start
  let reward = 0
  for (let left = spec.maxSteps - 1; ; left--) {
    const observation = spec.observe(state)
    const action = yield { side, observation, prompt, reward }
    prompt = undefined
    const moved = action === null ? null : spec.step(state, action, random)
    if (moved === null) {
      const lost = { reward: spec.lowestReward, terminated: true, isForfeit: true }
      return { side, observation: spec.observe(state), ...lost }
    }
    const { terminated } = moved
    state = moved.state
    reward += moved.reward
    if (terminated || left === 0)
      return { side, observation: spec.observe(state), reward, terminated, isForfeit: false }
  }
}

/** The turns of both players, to the one that decides. */
function* gameTurns(spec: EnvSpec, rules: GameRules, random: RandomStream): EpisodeTurns {
  let side: Side = drawFirst(SIDES, random)
  let state = rules.initial(random)
  for (;;) {
    const action = yield { side, observation: spec.observe(state), reward: 0 }
    const moved = action === null ? null : rules.step(state, action, random)
    const isForfeit = moved === null
    if (moved !== null) state = moved.state
    if (isForfeit || moved.won) {
      const reward = isForfeit ? spec.lowestReward : spec.highestReward
      return { side, observation: spec.observe(state), reward, terminated: true, isForfeit }
    }
    side = getOtherSide(side)
  }
}

/** Which of two players is first, in its players' order: the first draw of a challenge. */
export function drawFirst<Player>(
  players: readonly [Player, Player],
  random: RandomStream,
): Player {
  return players[random.integers(0, 2) as 0 | 1]
}

/** What a side of a game earned: one wins, the other loses. */
export function computeReward(spec: EnvSpec, end: EpisodeEnd, side: Side): number {
  return side === end.side ? end.reward : spec.lowestReward + spec.highestReward - end.reward
}

const getOtherSide = (side: Side): Side => (side === 'champion' ? 'contender' : 'champion')

/** The rules of an environment of two players. @throws RangeError for one of one player. */
export function requireRules({ id, game }: EnvSpec): GameRules {
  if (game === undefined) throw new RangeError(`"env" expected one of two players, got ${id}`)
  return game
}

/** The action that the answer of a recorded reply is; null for none in the action space. */
export function actionIn(spec: EnvSpec, reply: string): unknown {
  const action = spec.parse(answerOf(reply))
  return spec.actionSpace.contains(action) ? action : null
}

/** What a game records of a reply: the action in it as the environment writes it, or its answer. */
export function formatReply(spec: EnvSpec, action: unknown, reply: string): string {
  return action === null ? answerOf(reply) : spec.format(action)
}

export type Message = { readonly role: 'user' | 'assistant'; readonly content: string }

/** Why an episode ended in a prompt. */
export type Fault = 'no-reply'

/** `invocation` is the platform's id of the call, `ms` how long it took; both are only recorded. */
export type Reply = { readonly content: string; readonly invocation?: string; readonly ms?: number }

export type Answer = Reply | { readonly fault: Fault }

/**
 * Answers a conversation that ends with a prompt. It gets a copy that holds roles and contents,
 * nothing else.
 */
export type Agent = (messages: readonly Message[]) => Promise<Answer> | Answer

export type RecordedMessage = Message & Partial<Reply>

export type Transcript = {
  readonly messages: readonly RecordedMessage[]
  readonly reward: number
  readonly fault?: Fault
}

/** The replies in a transcript, in their order. */
export const repliesIn = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)

/**
 * Plays one challenge with `agent`. A reply is read, recorded and shown to later turns as
 * `recordedOf` gives it. Only the specification of `env` is used: one can serve many plays at once,
 * and its own episode stays.
 *
 * No clock: to set a deadline, let the agent give `{ fault: 'no-reply' }`. Rejects with what the
 * agent rejects with. Protocol §3.1.
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
 * Plays one challenge of an environment of two players. Of a reply its answer is recorded, as the
 * environment writes it. Each agent gets the present prompt alone.
 *
 * No clock, as in `play`: an agent that is late gives `{ fault: 'no-reply' }`, and loses. Rejects
 * with what an agent rejects with. Protocol §3.1.
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

/** What is recorded of a game that was never begun. Protocol §3.1. */
export function unbegunGame({ spec }: { readonly spec: EnvSpec }): PerSide<Transcript> {
  requireRules(spec)
  const none = { messages: [], reward: spec.lowestReward, fault: 'no-reply' } as const
  return { champion: none, contender: none }
}

/** Who is asked, and the conversation so far, which ends with a prompt: of a game, that alone. */
interface OpenQuestion {
  readonly side: Side
  readonly messages: readonly Message[]
}

type Dialogue = Generator<OpenQuestion, PerSide<Transcript>, Answer>

async function runDialogue(
  dialogue: Dialogue,
  agents: PerSide<Agent>,
): Promise<PerSide<Transcript>> {
  let asked = dialogue.next()
  while (!asked.done) {
    const { side, messages } = asked.value
    asked = dialogue.next(await agents[side](messages))
  }
  return asked.value
}

/**
 * An episode as a dialogue: yields the questions, takes the answers, returns the transcripts. That
 * of one player is the champion's. Protocol §3.1.
 */
export function* record(spec: EnvSpec, origin: EpisodeOrigin, players: 1 | 2): Dialogue {
  const turns = turnsOf(spec, origin, players)
  const messages: PerSide<RecordedMessage[]> = { champion: [], contender: [] }
  let fault: Fault | undefined
  let turn = turns.next()
  while (!turn.done) {
    const { side, observation, prompt = spec.prompt(observation) } = turn.value
    const own = messages[side]
    own.push({ role: 'user', content: prompt })
    const shown = players === 1 ? own : own.slice(-1)
    const reply = yield { side, messages: shown.map(({ role, content }) => ({ role, content })) }
    if ('fault' in reply) {
      fault = 'no-reply'
      turn = turns.next(null)
      continue
    }
    const recorded = recordedOf(reply.content)
    const action = actionIn(spec, recorded)
    const content = players === 1 ? recorded : formatReply(spec, action, recorded)
    own.push({ ...reply, role: 'assistant', content })
    turn = turns.next(action)
  }
  const end: EpisodeEnd = turn.value
  const transcriptOf = (side: Side): Transcript => {
    const played = { messages: messages[side], reward: computeReward(spec, end, side) }
    return fault !== undefined && side === end.side ? { ...played, fault } : played
  }
  return { champion: transcriptOf('champion'), contender: transcriptOf('contender') }
}
