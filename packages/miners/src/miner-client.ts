import type { Miner } from '@affine/duel'
import type { Message, Reply } from '@affine/envs'
import pRetry from 'p-retry'
import type { Asking, MinerAgent, MinerEvent } from './asking.ts'
import { callFailures } from './call-failures.ts'
import { completionIn } from './completion.ts'
import { type Query, type Received, UNDELIVERED_STATUSES, Undelivered } from './query.ts'
import { retryPolicy } from './retry-policy.ts'
import { statusText } from './status-text.ts'
import { Stopped } from './stopped.ts'
import { Throttle } from './throttle.ts'

/** Where a miner answers, and how it is called there. */
export type Endpoint = Pick<Miner, 'model' | 'chute'>

/**
 * Agents for one miner: they have `replyMs` a reply, and give up on everything once `signal`
 * aborts.
 */
export type Client = (replyMs: number, signal: AbortSignal) => MinerAgent

export const NO_REPLY = { fault: 'no-reply' } as const
const NO_URL: MinerEvent = {
  type: 'call',
  outcome: 'miner',
  reason: 'deployment',
  text:
    'on a local network the chute is the http:// URL of an endpoint on this machine, ' +
    'such as http://127.0.0.1:8001/v1',
}

/**
 * A client for one miner whose chute is the URL of an OpenAI-compatible endpoint, up to and
 * including `/v1`. Its agents share a bound on how many calls are under way, `concurrency` at
 * first; a call with an end of its own, a game's, goes before all others that wait.
 *
 * A request holds the model's name and the conversation, nothing else. What fails for the
 * platform's reasons is asked again until `signal` aborts; a reply is never asked for twice. An
 * agent never rejects: no usable reply is `{ fault: 'no-reply' }`. Protocol §5.4.
 */
export function minerClient({ model, chute }: Endpoint, asking: Asking): Client {
  const { exchange, concurrency, now, random, on } = asking
  const throttle = new Throttle(concurrency, now)
  const failuresOf = callFailures(`${model} at ${chute}`, on)
  return (replyMs, signal) => {
    const ask = async (messages: readonly Message[], until?: AbortSignal): Promise<Reply> => {
      const query = queryOf({ model, chute }, messages, { replyMs, signal: until ?? signal, now })
      const received = await throttle.run(() => exchange(query), until === undefined ? 0 : 1)
      const reply = replyIn(received, query.url)
      on?.({ type: 'call', outcome: 'reply' })
      return reply
    }
    return (messages, until) => {
      const { failed, ended } = failuresOf()
      const end = until ?? signal
      const policy = retryPolicy({ signal: end, random, on: failed, isGame: until !== undefined })
      return pRetry(() => ask(messages, until), policy).catch((error: unknown) => {
        const isOver = end.aborted && !(signal.reason instanceof Stopped)
        if (isOver) ended(error, signal.aborted ? 'sampling' : 'clock')
        return NO_REPLY
      })
    }
  }
}

/** What a miner is told: its model's name, and roles and contents. Protocol §5.4. */
export function queryOf(
  { model, chute }: Endpoint,
  messages: readonly Message[],
  limits: Pick<Query, 'replyMs' | 'signal' | 'now'>,
): Query {
  const told = messages.map(({ role, content }) => ({ role, content }))
  const url = `${chute.replace(/\/$/, '')}/chat/completions`
  return { ...limits, url, body: JSON.stringify({ model, messages: told }) }
}

/**
 * The reply in what came from `url`.
 * @throws Undelivered when the platform says that the miner was not reached; NoReply for what is no
 *   chat completion.
 */
export function replyIn(received: Received, url: string): Reply {
  const { ms, invocation } = received
  const status = UNDELIVERED_STATUSES.find((each) => each === String(received.status))
  if (status !== undefined) throw new Undelivered(statusText(received), status)
  const content = completionIn(received, url)
  return { content, ms, ...(invocation !== undefined && { invocation }) }
}

type Limits = Parameters<Client>

/** The URLs at which miners of a local network are asked. Protocol §5.4. */
export const LOOPBACK: RegExp = /^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/

/**
 * Agents for the miners of a local network: a chute is a URL on this machine. Other miners never
 * reply. Protocol §5.4.
 */
export function endpointAgents(asking: Asking): (miner: Endpoint, ...limits: Limits) => MinerAgent {
  const clients = new Map<string, Client>()
  return ({ model, chute }, replyMs, signal) => {
    if (!LOOPBACK.test(chute)) {
      return () => {
        asking.on?.(NO_URL)
        return NO_REPLY
      }
    }
    const key = `${chute} ${model}`
    const client = clients.get(key) ?? minerClient({ model, chute }, asking)
    clients.set(key, client)
    return client(replyMs, signal)
  }
}
