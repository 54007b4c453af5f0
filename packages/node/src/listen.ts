import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'

/** Maximum concurrent connections. Further connections are closed. */
const MAX_CONNECTIONS = 1024
/** Maximum time for a request to arrive, in milliseconds. */
const REQUEST_MS = 30_000
/** Maximum time for a connection to be idle, in milliseconds. */
const IDLE_MS = 60_000

export type Handler = (request: Request) => Response | Promise<Response>

/** A server that listens at `url` until it is disposed of. */
export interface Listening extends Disposable {
  readonly url: string
}

/**
 * Serves at a port; 0 is any free port. Default of `host`: 127.0.0.1.
 * @throws Error, as a rejection, if the port is in use.
 */
export function listen(serve: Handler, port: number, host?: string): Promise<Listening> {
  return listenWith(getRequestListener(serve), port, host)
}

/** Serves a handler of `node:http`, as `listen` does, for streamed answers. */
export async function listenWith(
  answer: RequestListener,
  port: number,
  host = '127.0.0.1',
): Promise<Listening> {
  const server = createServer({ requestTimeout: REQUEST_MS }, answerInOrder(answer))
  server.maxConnections = MAX_CONNECTIONS
  server.setTimeout(IDLE_MS).listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use: choose another port, or stop the program that uses it`)
  })
  const taken = server.address() as { readonly port: number }
  const named = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${named}:${taken.port}`,
    [Symbol.dispose]: () => {
      server.close().closeAllConnections()
    },
  }
}

/**
 * Answers the requests of a connection one at a time. One request may wait, since a client may have
 * received an answer before this process knows it. A second waiting request closes the connection:
 * Node would handle every request, and store the answers until they are read.
 */
function answerInOrder(answer: RequestListener): RequestListener {
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
