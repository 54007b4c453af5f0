import { setMaxListeners } from 'node:events'
import type { Miner } from '@affine/duel'
import type { Agent, Reply } from '@affine/envs'
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import pLimit from 'p-limit'
import pRetry, { type Options } from 'p-retry'
import type { Setup } from './setup.ts'

/**
 * A client for one miner whose chute is the URL of an OpenAI-compatible endpoint, up to and including `/v1`: its agents
 * have `replyMs` a reply, give up on everything once `signal` aborts, and share a bound on how many calls are under way.
 *
 * A request holds the model's name and the conversation, nothing else. What fails for the platform's reasons is asked
 * again, with growing pauses, until `signal` aborts; a reply is never asked for twice. An agent never rejects: no usable
 * reply is `{ fault: 'no-reply' }`.
 */
export function minerClient({ model, chute }: Endpoint, concurrency: number, now: () => number): MinerClient {
  const client = new OpenAI({ baseURL: chute, apiKey: 'none', maxRetries: 0, logLevel: 'off', fetch: boundedFetch })
  const limit = pLimit(concurrency)
  const ask = async (messages: Parameters<Agent>[0], replyMs: number, signal: AbortSignal): Promise<Reply> => {
    const started = now()
    const data = await client.chat.completions.create(
      { model, messages: messages.map(({ role, content }) => ({ role, content })) },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(replyMs)]) },
    )
    const content: unknown = data.choices?.[0]?.message?.content
    if (typeof content !== 'string') throw new TypeError('not a chat completion')
    return { content, ms: Math.max(0, now() - started) } // a clock may be set back
  }
  return (replyMs, signal) => {
    setMaxListeners(0, signal) // every call that waits listens: any number is no leak
    return (messages) =>
      pRetry(() => limit(() => ask(messages, replyMs, signal)), { ...PATIENCE, signal }).catch(() => NO_REPLY)
  }
}

type Endpoint = Pick<Miner, 'model' | 'chute'>
type MinerClient = (replyMs: number, signal: AbortSignal) => Agent

const PATIENCE: Options = {
  ...{ retries: Number.POSITIVE_INFINITY, minTimeout: 100, maxTimeout: 15_000, randomize: true },
  shouldRetry: ({ error }) => {
    if (error instanceof APIConnectionError) return !(error instanceof APIConnectionTimeoutError)
    // By these a platform says that the model was not reached.
    return error instanceof APIError && [429, 500, 502, 503, 504].includes(error.status ?? 0)
  },
}
const NO_REPLY = { fault: 'no-reply' } as const

/** Agents for the miners of a local network: a chute is a URL on this machine. Other miners never reply. */
export function endpointAgents(concurrency: number, now: () => number): Setup['agent'] {
  const clients = new Map<string, MinerClient>()
  return ({ model, chute }, replyMs, signal) => {
    const host = URL.canParse(chute) ? new URL(chute).hostname : ''
    if (!chute.startsWith('http') || !['127.0.0.1', '[::1]', 'localhost'].includes(host)) return async () => NO_REPLY
    const client = clients.get(`${chute} ${model}`) ?? minerClient({ model, chute }, concurrency, now)
    clients.set(`${chute} ${model}`, client)
    return client(replyMs, signal)
  }
}

/** The library would add what it knows of this machine, environment variables included: a miner is told nothing. */
const HEADERS = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'affine' }

/** `fetch` without redirects, and with a bound on the body, JSON and all: past it the answer reads as status 413, no reply. */
async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, headers: HEADERS, redirect: 'manual' })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > 256 * 1024) return new Response(null, { status: 413 })
    chunks.push(chunk)
  }
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status: response.status, headers: response.headers })
}
