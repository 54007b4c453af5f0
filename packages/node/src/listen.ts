import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'

/** Connections of one server at once: those beyond are closed. */
const MOST_CONNECTIONS = 1024
/** A request has come whole by then, and a connection on which nothing moves is closed. */
const REQUEST_MS = 30_000
const IDLE_MS = 60_000

/** Answers requests of the web's standard. */
export type Handler = (request: Request) => Response | Promise<Response>

/** A server that listens at `url` until it is disposed of. */
export interface Listening extends Disposable {
  readonly url: string
  readonly server: Server
}

/**
 * Serves at a port, on loopback without a `host`. Port 0 takes any free one.
 * @throws Error when the port is in use.
 */
export function listen(serve: Handler, port: number, host?: string): Promise<Listening> {
  return listenWith(getRequestListener(serve), port, host)
}

/** As `listen`, for answers that are streamed. */
export async function listenWith(
  answer: RequestListener,
  port: number,
  host = '127.0.0.1',
): Promise<Listening> {
  const server = createServer({ requestTimeout: REQUEST_MS }, oneAtATime(answer))
  server.maxConnections = MOST_CONNECTIONS
  server.setTimeout(IDLE_MS).listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use: choose another, or stop what listens there`)
  })
  const taken = server.address() as { readonly port: number }
  const named = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${named}:${taken.port}`,
    server,
    [Symbol.dispose]: () => {
      server.close().closeAllConnections()
    },
  }
}

/**
 * Answers the requests of a connection one after the other. One may wait: a client may have all of
 * an answer before that is known here. When a second one comes, the connection is closed: Node
 * would start on all of them, and keep the answers until they are read.
 */
function oneAtATime(answer: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, ServerResponse[]>()
  return (request, response) => {
    const { socket } = request
    const queue = unanswered.get(socket) ?? []
    unanswered.set(socket, queue)
    if (queue.length === 2) return void socket.destroy()
    const before = queue.at(-1)
    queue.push(response)
    response.once('close', () => queue.shift())
    if (before === undefined) return answer(request, response)
    before.once('close', () => socket.destroyed || answer(request, response))
  }
}
