import { setMaxListeners } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import type { Miner } from '@affine/duel'
import type { Agent, Reply } from '@affine/envs'
import pLimit from 'p-limit'
import pRetry, { type Options } from 'p-retry'
import type { Setup } from './setup.ts'

/**
 * A client for one miner whose chute is the URL of an OpenAI-compatible endpoint, up to and
 * including `/v1`: its agents have `replyMs` a reply, give up on everything once `signal` aborts,
 * and share a bound on how many calls are under way: `most`, half as many after a 429, one more
 * after every round of successes. `send` may know another way to the miner; `on` hears how calls
 * end.
 *
 * A request holds the model's name and the conversation, nothing else. What fails for the
 * platform's reasons is asked again, with growing pauses, until `signal` aborts; a reply is never
 * asked for twice. An agent never rejects: no usable reply is `{ fault: 'no-reply' }`.
 */
export function minerClient(endpoint: Endpoint, most: number, now: () => number): Client {
  const { model, chute, send = exchange, on = () => {} } = endpoint
  const url = `${chute.replace(/\/$/, '')}/chat/completions`
  const limit = pLimit(most)
  let [room, calmAt] = [most, 0]
  const ask = async (
    messages: Parameters<Agent>[0],
    replyMs: number,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const body = JSON.stringify({
      model,
      messages: messages.map(({ role, content }) => ({ role, content })),
    })
    const {
      status,
      headers: _,
      text,
      ...reply
    } = await limit(() => send({ url, body, replyMs, signal, now }))
    // Once a second at most: calls that were under way together tell of one overload.
    const half = Math.max(1, Math.min(room, limit.activeCount + 1) / 2)
    if (status === 429 && performance.now() > calmAt)
      [room, calmAt] = [half, performance.now() + 1000]
    if (status === 200) room = Math.min(most, room + 1 / room)
    limit.concurrency = Math.floor(room)
    // By these a platform says that the model was not reached.
    if ([429, 500, 502, 503, 504].includes(status)) throw new Undelivered(`status ${status}`)
    const content: unknown = status === 200 && JSON.parse(text)?.choices?.[0]?.message?.content
    if (typeof content !== 'string') throw new TypeError('not a chat completion')
    on({ type: 'call', outcome: 'reply' })
    return { content, ...reply }
  }
  return (replyMs, signal) => {
    setMaxListeners(0, signal) // every call that waits listens: any number is no leak
    return (messages) =>
      pRetry(() => ask(messages, replyMs, signal), patience(signal, on)).catch(() => NO_REPLY)
  }
}

type Endpoint = Pick<Miner, 'model' | 'chute'> & {
  readonly send?: typeof exchange
  readonly on?: Setup['on']
}
export type Client = (replyMs: number, signal: AbortSignal) => Agent
const NO_REPLY = { fault: 'no-reply' } as const

/** The platform did not deliver: what was asked is asked again. */
export class Undelivered extends Error {}

/**
 * What is `Undelivered` is tried again until `signal` aborts, after pauses that grow up to half a
 * minute, or a whole.
 */
export const patience = (signal: AbortSignal, on: Setup['on'] = () => {}): Options => ({
  ...{
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 100,
    maxTimeout: 30_000 * (1 + Math.random()),
    randomize: true,
  },
  ...{ shouldRetry: ({ error }) => error instanceof Undelivered, signal },
  onFailedAttempt: ({ error }) =>
    void (
      signal.aborted ||
      on({ type: 'call', outcome: error instanceof Undelivered ? 'platform' : 'miner' })
    ),
})

/**
 * Agents for the miners of a local network: a chute is a URL on this machine. Other miners never
 * reply.
 */
export function endpointAgents(
  concurrency: number,
  now: () => number,
  on: Setup['on'] = () => {},
): Setup['agent'] {
  const clients = new Map<string, Client>()
  return ({ model, chute }, replyMs, signal) => {
    if (!/^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/.test(chute))
      return () => NO_REPLY
    const client =
      clients.get(`${chute} ${model}`) ?? minerClient({ model, chute, on }, concurrency, now)
    clients.set(`${chute} ${model}`, client)
    return client(replyMs, signal)
  }
}

type Headers = http.IncomingHttpHeaders
type Timing = { replyMs: number; signal: AbortSignal; now: () => number }
/** A POST of JSON, or a GET without a body. */
export type Query = Readonly<{ url: string; headers?: Headers; body?: string } & Timing>
/** `text` is the body, `ms` the time it all took. */
export type Received = Readonly<{
  status: number
  headers: Headers
  text: string
  ms: number
  invocation?: string
}>

const MOST_BYTES = 256 * 1024
/**
 * All that a server is told about who asks. Nothing is unpacked here, and nothing packed is asked
 * for.
 */
const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'affine',
}

/**
 * Sends a request and resolves with the response, whatever its status. No redirect is followed, and
 * at most 256 KiB are read. `replyMs` is the time to connect and send, and then, once more, the
 * time for the whole response. Rejects with `Undelivered` when the connection fails or breaks; with
 * another error when the response is late, too large or no HTTP; and once `signal` aborts. But what
 * has a status other than 200 resolves with it, whatever its body does.
 */
export async function exchange({
  url,
  headers,
  body,
  replyMs,
  signal,
  now,
}: Query): Promise<Received> {
  const { request } = url.startsWith('https:') ? https : http
  const outgoing = request(url, {
    method: body ? 'POST' : 'GET',
    headers: { ...HEADERS, ...headers },
    signal,
  })
  let stream: { destroy(error: Error): unknown } = outgoing
  const started = now()
  const expire = () =>
    stream.destroy(outgoing.writableFinished ? new Error('late') : new Undelivered('no connection'))
  const timer = setTimeout(expire, replyMs)
  outgoing.once('finish', () => timer.refresh())
  let status = 0
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject)
      outgoing.on('close', () => stream === outgoing && reject(new Undelivered('closed'))).end(body)
    })
    stream = response
    status = response.statusCode ?? 0
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response) {
      size += chunk.length
      if (size > MOST_BYTES) throw new Error('too large')
      chunks.push(chunk)
    }
    const text = Buffer.concat(chunks).toString()
    return { status, headers: response.headers, text, ms: Math.max(0, now() - started) }
  } catch (error) {
    if (status !== 0 && status !== 200) return { status, headers: {}, text: '', ms: 0 }
    // A connection's failures have a code. HPE_: what came is not HTTP, or has too large a head.
    const { code = 'HPE_', message } = error as NodeJS.ErrnoException
    throw code.startsWith('HPE_') ? error : new Undelivered(message)
  } finally {
    clearTimeout(timer)
  }
}
