import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type EnvSpec, make } from '@affine/envs'
import { type Listening, listen } from '@affine/miners/node'
import { Hono } from 'hono'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { answerTo, errorOf } from './answer.ts'
import { MOST_BYTES, routesOf } from './routes.ts'
import { Session } from './session.ts'

/** How long one that is turned away may take to hear of it. */
const LINGER_MS = 2000

/** `sessions` is how many there may be at once, `idleMs` how long one may say nothing. */
export interface Serving {
  readonly port: number
  readonly host?: string
  readonly sessions: number
  readonly idleMs: number
}

/**
 * Serves environments as OpenEnv does: each below the name it is asked for by, the first at the
 * root too. A connection to `/ws` is a session with an environment of its own.
 * @throws RangeError for a name that is not registered.
 */
export async function serveEnvironments(
  names: readonly string[],
  { port, host, sessions, idleMs }: Serving,
): Promise<Listening> {
  const specs = new Map(names.map((name) => [`/${name}`, make(name).spec]))
  const [first] = specs.values()
  if (first !== undefined) specs.set('', first)
  const app = new Hono()
  for (const [path, spec] of specs) app.route(path, routesOf(spec))
  const listening = await listen(app.fetch, port, host)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES })
  const held = new Set<WebSocket>()
  const open = (spec: EnvSpec) => (socket: WebSocket) => {
    socket.on('error', () => socket.terminate())
    if (held.size >= sessions) {
      turnAway(socket, sessions)
      return
    }
    held.add(socket)
    socket.on('close', () => held.delete(socket))
    hold(socket, new Session(spec), idleMs)
  }
  listening.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const spec = specs.get(pathBefore(request.url))
    if (spec !== undefined) {
      sockets.handleUpgrade(request, socket, head, open(spec))
      return
    }
    socket.on('error', () => socket.destroy())
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
  })
  return {
    ...listening,
    [Symbol.dispose]: () => {
      for (const socket of sockets.clients) socket.terminate()
      listening[Symbol.dispose]()
    },
  }
}

/** What stands before `/ws` in a path; no environment's for another path. */
function pathBefore(url = ''): string {
  const { groups } = /^(?<before>[^?]*)\/ws(\?|$)/.exec(url) ?? {}
  return groups?.before ?? '/'
}

/** Answers a session's messages one by one until it is closed, idle, or does not read. */
function hold(socket: WebSocket, session: Session, idleMs: number): void {
  const idle = setTimeout(() => socket.close(1001, 'idle'), idleMs)
  socket.on('close', () => clearTimeout(idle))
  socket.on('message', (data: RawData, isBinary: boolean) => {
    idle.refresh()
    const answer = isBinary
      ? errorOf('INVALID_JSON', 'expected text')
      : answerTo(session, String(data))
    if (answer === undefined) socket.close(1000)
    else if (socket.bufferedAmount > MOST_BYTES) socket.terminate()
    else socket.send(JSON.stringify(answer))
  })
}

/**
 * Says that there are as many sessions as there may be. OpenEnv's client reads that once it has
 * asked for something, which it cannot over what is closed by then.
 */
function turnAway(socket: WebSocket, sessions: number): void {
  const message = `expected at most ${sessions} sessions at once`
  const more = { active_sessions: sessions, max_sessions: sessions }
  socket.send(JSON.stringify(errorOf('CAPACITY_REACHED', message, more)))
  const late = setTimeout(() => socket.close(1013, 'no session is free'), LINGER_MS)
  socket.once('close', () => clearTimeout(late))
}
