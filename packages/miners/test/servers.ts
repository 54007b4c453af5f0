import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Server as TcpServer } from 'node:net'
import type { Miner } from '@affine/duel'

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
  const server = createServer(async (request, response) => {
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

/** What Chutes says of a chute that is as its miner committed. */
export const described = (
  { model, revision }: Miner,
  slug: string,
): Readonly<Record<string, string>> => {
  return { name: model, revision, slug }
}

interface StandIn {
  readonly api: string
  readonly place: { readonly api: string; readonly hostOf: (slug: string) => string }
  readonly seen: readonly Seen[]
  readonly asked: (path: string) => readonly Seen[]
}

/**
 * A server that stands in for Chutes, by path, and `place`, which leads agents to it: a slug is a
 * folder there.
 */
export async function serveChutes(handlers: Readonly<Record<string, Handle>>): Promise<StandIn> {
  const counts = new Map<string, number>()
  const { url, seen } = await serve((_, request, response, body) => {
    const path = request.url ?? ''
    const index = counts.get(path) ?? 0
    counts.set(path, index + 1)
    const handle = handlers[path] ?? answers(404)
    handle(request, response, index, body)
  })
  const api = url.replace(/\/v1$/, '')
  const asked = (path: string): readonly Seen[] => seen.filter((request) => request.url === path)
  return { api, place: { api, hostOf: (slug: string) => `${api}/${slug}` }, seen, asked }
}

/** For `afterAll`. */
export function closeServers(): void {
  for (const server of servers) server.close().closeAllConnections()
}
