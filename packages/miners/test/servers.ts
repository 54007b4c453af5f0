import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import type { Miner } from '@affine/duel'
import { listen } from '../../../test/web-server.ts'
import type { Caller, Query } from '../src/asking.ts'
import { exchange } from '../src/node/exchange.ts'
import { playerReply } from '../src/reference-miner.ts'
import { sourceFor, TAG } from './sources.ts'

/** A received request. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers a request. `index` is the number of earlier requests; `body` has been read. */
export type Answer = (
  index: number,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void

/** Starts a server on loopback that records every request. */
export async function serve(
  answer: Answer,
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = []
  let count = 0
  // Without a timeout, the server closes no connection that a busy client is about to reuse.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const index = count++
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers, body })
    answer(index, request, response, body)
  })
  return { url: `${await listen(server)}/v1`, seen }
}

/** Answers every request with the same body, whose type is JSON unless `headers` has another. */
export const sends =
  (status: number, body: string | Buffer, headers: OutgoingHttpHeaders = {}): Answer =>
  (_, __, response) =>
    response.writeHead(status, { ...json, ...headers }).end(body)

/** Returns the body of a chat completion. */
export function completion(content: unknown): string {
  return JSON.stringify({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  })
}

/** Answers a request. `index` is the number of earlier requests for its path. */
export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  index: number,
  body: string,
) => void

const json = { 'content-type': 'application/json' }

/** Answers every request with the same value. */
export const answers =
  (status: number, value: unknown = {}): Handle =>
  (_, response) =>
    response.writeHead(status, json).end(JSON.stringify(value))

/** Replies as Chutes does, with a new invocation id. */
export const replies: Handle = (_, response) =>
  response.writeHead(200, { ...json, 'x-chutes-invocationid': randomUUID() }).end(completion('A1'))

/** Replies as a perfect player on Chutes. */
export const plays: Handle = (_, response, __, body) => {
  const prompt: string = JSON.parse(body).messages.at(-1).content
  const reply = completion(playerReply(prompt, { skill: 1, seed: '' }))
  response.writeHead(200, { ...json, 'x-chutes-invocationid': randomUUID() }).end(reply)
}

/** The subnet whose chutes the account of `accountWith` may call. */
export const NETUID = 120

/** Returns an account at Chutes that may call the subnet's chutes. */
export const accountWith = (balance: number, more: object = {}): object => ({
  username: 'me',
  balance,
  netuids: [NETUID],
  permissions_bitmask: 1 << 12,
  ...more,
})

/** A chat template that is on the list. */
export const CHAT_TEMPLATE: string =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + " +
  "message['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

interface Described {
  readonly [name: string]: unknown
  readonly image: Readonly<Record<string, unknown>>
}

/**
 * Returns the description of a chute as committed, in the shape of `ChuteResponse` in
 * `api/chute/response.py`, without unused fields: prices, cords, instances.
 */
export const described = ({ model, revision, chute }: Miner, slug: string): Described => {
  const user = { username: 'chutes', user_id: 'dff3e6bb-3a6b-5a2b-9c48-da3abcd5ca5f' }
  return {
    chute_id: chute,
    name: model,
    tagline: '',
    readme: model,
    public: true,
    version: '4f82bcf3-7a0e-5ba6-9a1a-6c0b9f5ea1ab',
    slug,
    standard_template: 'vllm',
    created_at: '2026-05-01T00:00:00Z',
    updated_at: '2026-05-01T00:00:00Z',
    image: { image_id: 'i', name: 'sglang', tag: TAG, public: true, status: 'built', user },
    node_selector: { gpu_count: 1 },
    revision,
    concurrency: 32,
    allow_external_egress: false,
    tee: true,
    execution_backend: 'hosted',
    hot: true,
  }
}

/** Answers as `GET /chutes/code/{id}`, with a text. */
export const code =
  (source: string): Handle =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(source)

/** Returns the path of a file of a model. */
export const fileOf = ({ model, revision }: Miner, name: string): string =>
  `/${model}/resolve/${revision}/${name}`

/** Returns the path of the request that wakes a chute. */
export const wakeOf = ({ chute }: Miner): string => `/chutes/warmup/${chute}`

/** Returns the routes of a committed chute and its model. */
export const published = (miner: Miner, slug: string): Readonly<Record<string, Handle>> => ({
  [`/chutes/${miner.chute}`]: answers(200, described(miner, slug)),
  [`/chutes/code/${miner.chute}`]: code(sourceFor(miner)),
  [wakeOf(miner)]: answers(200),
  [fileOf(miner, 'tokenizer_config.json')]: answers(200, { chat_template: CHAT_TEMPLATE }),
})

export interface StandIn {
  /** The URL of the server. `place` redirects requests for Chutes and Hugging Face to it. */
  readonly api: string
  readonly place: Pick<Caller, 'exchange'>
  readonly seen: readonly Seen[]
  readonly requestsTo: (path: string) => readonly Seen[]
}

/**
 * Starts a server that stands in for Chutes and Hugging Face. In requests that `place` redirects,
 * the host of a slug becomes a folder. The account is in order unless a handler changes it.
 */
export async function serveChutes(handlers: Readonly<Record<string, Handle>>): Promise<StandIn> {
  const counts = new Map<string, number>()
  const { url, seen } = await serve((_, request, response, body) => {
    const path = request.url ?? ''
    const index = counts.get(path) ?? 0
    counts.set(path, index + 1)
    const handle = { '/users/me': answers(200, accountWith(10)), ...handlers }[path] ?? answers(404)
    handle(request, response, index, body)
  })
  const api = url.replace(/\/v1$/, '')
  const requestsTo = (path: string): readonly Seen[] =>
    seen.filter((request) => request.url === path)
  const place = { exchange: (query: Query) => exchange({ ...query, url: ledTo(api, query.url) }) }
  return { api, place, seen, requestsTo }
}

/** Returns the URL in a stand-in for a URL of Chutes or Hugging Face. */
export function ledTo(api: string, url: string): string {
  const { hostname, pathname, search } = new URL(url)
  const [, slug] = /^(?!api\.)(.+)\.chutes\.ai$/.exec(hostname) ?? []
  return `${api}${slug === undefined ? '' : `/${slug}`}${pathname}${search}`
}
