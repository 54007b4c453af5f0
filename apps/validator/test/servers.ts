import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a server saw it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const servers = new Set<Server>()

/** Starts a server on loopback and resolves with its URL. Port 0 takes any free one. */
export async function listen(server: Server, port: number): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Gets a request's index, from 0, and its body, which has been read. */
export type Answer = (index: number, request: IncomingMessage, response: ServerResponse, body: string) => void

/** A real server on loopback that notes every request. */
export async function serve(answer: Answer): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
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
  return JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }] })
}

/** For `afterAll`. */
export function closeServers(): void {
  for (const server of servers) server.close().closeAllConnections()
}
