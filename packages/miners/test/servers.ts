import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Server as TcpServer } from 'node:net'
import type { Miner } from '@affine/duel'
import type { Caller, Query } from '../src/asking.ts'
import { exchange } from '../src/node/exchange.ts'
import { playerReply } from '../src/reference-miner.ts'

/** A request as a server saw it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const servers = new Set<Server>()

/** Starts a server on loopback and resolves with its URL. Port 0 takes any free one. */
export async function listen(server: TcpServer, port: number): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Gets a request's index, from 0, and its body, which has been read. */
export type Answer = (
  index: number,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void

/** A real server on loopback that notes every request. */
export async function serve(
  answer: Answer,
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = []
  let count = 0
  // It closes no connection that a busy client is about to use again.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const index = count++
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers, body })
    answer(index, request, response, body)
  })
  servers.add(server)
  return { url: `${await listen(server, 0)}/v1`, seen }
}

/** The same answer to every request, in JSON. */
export const sends =
  (status: number, body: string | Buffer, headers: OutgoingHttpHeaders = {}): Answer =>
  (_, __, response) =>
    response.writeHead(status, { ...json, ...headers }).end(body)

/** The body of a chat completion. */
export function completion(content: unknown): string {
  return JSON.stringify({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  })
}

/** Answers the request of an index, from 0, among those for one path. */
export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  index: number,
  body: string,
) => void

const json = { 'content-type': 'application/json' }

/** The same answer to everything. */
export const answers =
  (status: number, value: unknown = {}): Handle =>
  (_, response) =>
    response.writeHead(status, json).end(JSON.stringify(value))

/** A reply as Chutes gives them, under an id of its own. */
export const replies: Handle = (_, response) =>
  response.writeHead(200, { ...json, 'x-chutes-invocationid': randomUUID() }).end(completion('A1'))

/** What a perfect player replies, as Chutes gives it. */
export const plays: Handle = (_, response, __, body) => {
  const prompt: string = JSON.parse(body).messages.at(-1).content
  const reply = completion(playerReply(prompt, { skill: 1, seed: '' }))
  response.writeHead(200, { ...json, 'x-chutes-invocationid': randomUUID() }).end(reply)
}

/** Of images, as of hotkeys, it does not matter which. */
const TAG = 'nightly-2026040100'

/** The subnet whose chutes may be called by an account as `accountWith` has it. */
export const NETUID = 120

/** What Chutes says of an account that may call the subnet's chutes. */
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
 * What Chutes says of a chute that is as its miner committed, in the shape of `ChuteResponse` in
 * `api/chute/response.py`; without what nobody reads: prices, cords, instances.
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

/** The source of such a chute. */
export const sourceFor = ({ model, revision }: Miner): string =>
  `from chutes.chute import NodeSelector
from chutes.chute.template.sglang import build_sglang_chute

chute = build_sglang_chute(
    username="me",
    readme="${model}",
    model_name="${model}",
    image="chutes/sglang:${TAG}",
    concurrency=32,
    revision="${revision}",
    node_selector=NodeSelector(
        gpu_count=1,
        include=["pro_6000"],
    ),
    engine_args=(
        "--context-length 32768 "
        "--tool-call-parser qwen25"
    ),
    tee=True,
)
`

/** What `GET /chutes/code/{id}` answers: a text. */
export const code =
  (source: string): Handle =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(source)

/** Where a file of a model is. */
export const fileOf = ({ model, revision }: Miner, name: string): string =>
  `/${model}/resolve/${revision}/${name}`

/** Where Chutes is asked to wake a chute. */
export const wakeOf = ({ chute }: Miner): string => `/chutes/warmup/${chute}`

/** The routes by which a chute and its model are looked at, as its miner committed. */
export const published = (miner: Miner, slug: string): Readonly<Record<string, Handle>> => ({
  [`/chutes/${miner.chute}`]: answers(200, described(miner, slug)),
  [`/chutes/code/${miner.chute}`]: code(sourceFor(miner)),
  [wakeOf(miner)]: answers(200),
  [fileOf(miner, 'tokenizer_config.json')]: answers(200, { chat_template: CHAT_TEMPLATE }),
})

interface StandIn {
  /** Where it is, and what leads requests there that are for Chutes and Hugging Face. */
  readonly api: string
  readonly place: Pick<Caller, 'exchange'>
  readonly seen: readonly Seen[]
  readonly asked: (path: string) => readonly Seen[]
}

/**
 * A server that stands in for Chutes and Hugging Face, by path, and `place`, which leads agents to
 * it: the host of a slug is a folder there. Its account is in order, unless a handler says more.
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
  const asked = (path: string): readonly Seen[] => seen.filter((request) => request.url === path)
  const place = { exchange: (query: Query) => exchange({ ...query, url: ledTo(api, query.url) }) }
  return { api, place, seen, asked }
}

/** The place in a stand-in for a URL of Chutes' or Hugging Face's. */
export function ledTo(api: string, url: string): string {
  const { hostname, pathname, search } = new URL(url)
  const [, slug] = /^(?!api\.)(.+)\.chutes\.ai$/.exec(hostname) ?? []
  return `${api}${slug === undefined ? '' : `/${slug}`}${pathname}${search}`
}

/** For `afterAll`. */
export function closeServers(): void {
  for (const server of servers) server.close().closeAllConnections()
}
