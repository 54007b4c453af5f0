import { type Message, make, registry } from '@affine/envs'
import type { AgentOf, Hear } from './asking.ts'
import type { Asked } from './deployment/deployment.ts'
import type { Caller } from './query.ts'
import { servedModels } from './served-models.ts'
import { within } from './within.ts'

/** How long a miner may be out of reach. */
const REACH_MS = 30_000

interface FirstQuestion extends Pick<Caller, 'exchange' | 'now'> {
  /** The agents that ask, and tell how requests end. */
  readonly agents: (on: Hear) => AgentOf
  readonly signal: AbortSignal
}

/** A first prompt, and how long the reply may take. */
interface FirstPrompt {
  readonly messages: readonly Message[]
  readonly replyMs: number
}

/** A first prompt of an environment; of the first that is registered, if none is given. */
export function firstPrompt(env: string = [...registry.keys()][0] ?? ''): FirstPrompt {
  const game = make(env)
  game.reset()
  const messages = [{ role: 'user', content: game.render() }] as const
  return { messages, replyMs: game.spec.replyMs }
}

/**
 * Why a miner gives no usable reply to one prompt, asked as validators ask it; undefined when it
 * gives one. What it says is not judged. Rejects when `signal` aborts, and with what the agent
 * rejects with.
 */
export async function whyNoAnswer(
  miner: Asked,
  { agents, signal, ...caller }: FirstQuestion,
): Promise<string | undefined> {
  const whys: string[] = []
  const agent = agents((event) => {
    if (event.type === 'problem') whys.push(event.error.message)
    else if (event.outcome !== 'reply') whys.push(event.text)
  })
  const { messages, replyMs } = firstPrompt()
  const giveUp = within(REACH_MS + replyMs, signal)
  const answer = await agent(miner, replyMs, giveUp)(messages)
  signal.throwIfAborted()
  if ('content' in answer) return undefined
  const why = whys.at(-1) ?? 'nothing came'
  return `${why}${await servedModels(miner.chute, why, { ...caller, signal })}`
}
