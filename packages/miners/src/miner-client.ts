import type { Miner } from '@affine/duel'
import type { Agent, Message, Reply } from '@affine/envs'
import pRetry from 'p-retry'
import type { AgentOf, Asking } from './asking.ts'
import { Undelivered } from './query.ts'
import { retryPolicy } from './retry-policy.ts'
import { Throttle } from './throttle.ts'

/** Where a miner answers, and how it is called there. */
type Endpoint = Pick<Miner, 'model' | 'chute'>

/**
 * Agents for one miner: they have `replyMs` a reply, and give up on everything once `signal`
 * aborts.
 */
export type Client = (replyMs: number, signal: AbortSignal) => Agent

const NO_REPLY = { fault: 'no-reply' } as const
/** By these a platform says that the miner was not reached. Protocol §5.4. */
const UNDELIVERED = [429, 500, 502, 503, 504]

/**
 * A client for one miner whose chute is the URL of an OpenAI-compatible endpoint, up to and
 * including `/v1`. Its agents share a bound on how many calls are under way, `concurrency` at
 * first.
 *
 * A request holds the model's name and the conversation, nothing else. What fails for the
 * platform's reasons is asked again, with growing pauses, until `signal` aborts; a reply is never
 * asked for twice. An agent never rejects: no usable reply is `{ fault: 'no-reply' }`.
 * Protocol §5.4.
 */
export function minerClient({ model, chute }: Endpoint, asking: Asking): Client {
  const { exchange, concurrency, now, random, on } = asking
  const url = `${chute.replace(/\/$/, '')}/chat/completions`
  const throttle = new Throttle(concurrency, now)
  return (replyMs, signal) => {
    const ask = async (messages: readonly Message[]): Promise<Reply> => {
      const query = { url, body: requestFor(model, messages), replyMs, signal, now }
      const { status, text, ms, invocation } = await throttle.run(() => exchange(query))
      if (UNDELIVERED.includes(status)) throw new Undelivered(`status ${status}`)
      if (status !== 200) throw new TypeError('not a chat completion')
      const content = completionIn(text)
      on?.({ type: 'call', outcome: 'reply' })
      return { content, ms, ...(invocation !== undefined && { invocation }) }
    }
    const policy = retryPolicy({ signal, random, on })
    return (messages) => pRetry(() => ask(messages), policy).catch(() => NO_REPLY)
  }
}

/** What a miner is told: nothing but roles and contents. Protocol §5.4. */
function requestFor(model: string, messages: readonly Message[]): string {
  return JSON.stringify({
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
  })
}

/**
 * The text of the first choice.
 * @throws SyntaxError or TypeError when the body is no chat completion.
 */
function completionIn(body: string): string {
  const content: unknown = JSON.parse(body)?.choices?.[0]?.message?.content
  if (typeof content !== 'string') throw new TypeError('not a chat completion')
  return content
}

/** The URLs at which miners of a local network are asked. Protocol §5.4. */
export const LOOPBACK: RegExp = /^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/

/**
 * Agents for the miners of a local network: a chute is a URL on this machine. Other miners never
 * reply. Protocol §5.4.
 */
export function endpointAgents(asking: Asking): AgentOf {
  const clients = new Map<string, Client>()
  return ({ model, chute }, replyMs, signal) => {
    if (!LOOPBACK.test(chute)) return () => NO_REPLY
    const key = `${chute} ${model}`
    const client = clients.get(key) ?? minerClient({ model, chute }, asking)
    clients.set(key, client)
    return client(replyMs, signal)
  }
}
