import { seedOf } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import type { Env } from './env.ts'
import {
  actionIn,
  type EpisodeEnd,
  type PerSide,
  rewardOf,
  rulesOf,
  type Side,
  turnsOf,
  writtenOf,
} from './episode.ts'
import { recordedOf } from './text.ts'

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

/**
 * Plays one challenge with `agent`. A reply is read, recorded and shown to later turns as
 * `recordedOf` gives it. Only the specification of `env` is used: one can serve many plays at once,
 * and its own episode stays.
 *
 * No clock: to set a deadline, let the agent give `{ fault: 'no-reply' }`. Rejects with what the
 * agent rejects with. Protocol §3.1.
 * @throws TypeError unless `challengeId` is one.
 */
export async function play(
  { spec }: Pick<Env, 'spec'>,
  challengeId: string,
  agent: Agent,
): Promise<Transcript> {
  const dialogue = record(spec, seedOf(challengeId), 1)
  return (await answeredBy(dialogue, { champion: agent, contender: agent })).champion
}

/**
 * Plays one challenge of an environment of two players. Of a reply its answer is recorded, as the
 * environment writes it. Each agent gets the present prompt alone.
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
  return answeredBy(record(spec, seedOf(challengeId), 2), agents)
}

/** What is recorded of a game that was never begun. Protocol §3.1. */
export function unbegunGame({ spec }: Pick<Env, 'spec'>): PerSide<Transcript> {
  rulesOf(spec)
  const none = { messages: [], reward: spec.lowestReward, fault: 'no-reply' } as const
  return { champion: none, contender: none }
}

/** Who is asked, and the conversation so far, which ends with a prompt: of a game, that alone. */
interface OpenQuestion {
  readonly side: Side
  readonly messages: readonly Message[]
}

type Dialogue = Generator<OpenQuestion, PerSide<Transcript>, Answer>

async function answeredBy(
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
export function* record(spec: EnvSpec, seed: number | bigint, players: 1 | 2): Dialogue {
  const turns = turnsOf(spec, seed, players)
  const messages: PerSide<RecordedMessage[]> = { champion: [], contender: [] }
  let fault: Fault | undefined
  let turn = turns.next()
  while (!turn.done) {
    const { side, observation } = turn.value
    const own = messages[side]
    own.push({ role: 'user', content: spec.prompt(observation) })
    const shown = players === 1 ? own : own.slice(-1)
    const reply = yield { side, messages: shown.map(({ role, content }) => ({ role, content })) }
    if ('fault' in reply) {
      fault = 'no-reply'
      turn = turns.next(null)
      continue
    }
    const recorded = recordedOf(reply.content)
    const action = actionIn(spec, recorded)
    const content = players === 1 ? recorded : writtenOf(spec, action, recorded)
    own.push({ ...reply, role: 'assistant', content })
    turn = turns.next(action)
  }
  const end: EpisodeEnd = turn.value
  const transcriptOf = (side: Side): Transcript => {
    const played = { messages: messages[side], reward: rewardOf(spec, end, side) }
    return fault !== undefined && side === end.side ? { ...played, fault } : played
  }
  return { champion: transcriptOf('champion'), contender: transcriptOf('contender') }
}
