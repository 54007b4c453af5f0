import { type Message, make, registry } from '@affine/envs'
import type { AgentOf, Caller, Hear, Query } from './asking.ts'
import type { Asked } from './deployment/deployment.ts'

/** How long a miner may be out of reach. */
const REACH_MS = 30_000

/**
 * A first prompt of an environment, and how long the reply may take; of the first that is
 * registered, if none is given.
 */
export function firstPrompt(env: string = [...registry.keys()][0] ?? ''): {
  readonly messages: readonly Message[]
  readonly replyMs: number
} {
  const game = make(env)
  game.reset()
  const messages = [{ role: 'user', content: game.render() }] as const
  return { messages, replyMs: game.spec.replyMs }
}

/**
 * Why a miner gives no usable reply to one prompt, asked as validators ask it, by `agents` that
 * tell how requests end; undefined when it gives one. What it says is not judged. Rejects when
 * `signal` aborts, and with what the agent rejects with.
 */
export async function whyNoAnswer(
  miner: Asked,
  { agents, signal, ...caller }: ModelsQuery & { readonly agents: (on: Hear) => AgentOf },
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

type ModelsQuery = Pick<Caller, 'exchange' | 'now'> & Pick<Query, 'signal'>

const MOST_NAMED = 5

/**
 * The models that an endpoint says it serves, as the end of a sentence that tells why it refused a
 * request; empty when that is not about a model, or the endpoint does not say.
 */
export async function servedModels(
  chute: string,
  why: string,
  { exchange, now, signal }: ModelsQuery,
): Promise<string> {
  if (!/^status (400|404|422)\b/.test(why) || !/^https?:/.test(chute)) return ''
  const url = `${chute.replace(/\/$/, '')}/models`
  try {
    const { text } = await exchange({ url, replyMs: 5000, signal, now })
    const { data }: { readonly data: readonly { readonly id: unknown }[] } = JSON.parse(text)
    const names = data.map(({ id }) => nameOf(id))
    if (names.length === 0) return ''
    return `; it serves the models ${names.slice(0, MOST_NAMED).join(', ')}`
  } catch {
    return '' // it says nothing of models
  }
}

function nameOf(id: unknown): string {
  if (typeof id === 'string') return JSON.stringify(id.slice(0, 128))
  throw new TypeError(`"id" expected a string, got ${typeof id}`)
}

/**
 * Aborts when `signal` does, and after so many milliseconds. Node 20 forgets the timeout of
 * `AbortSignal.any([signal, AbortSignal.timeout(ms)])` as soon as it collects garbage, unless
 * somebody listens to it.
 */
export function within(ms: number, signal: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  timeout.addEventListener('abort', () => {})
  return AbortSignal.any([signal, timeout])
}
