import { once } from 'node:events'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'

/** Answers requests of the web's standard. */
export type Handler = (request: Request) => Response | Promise<Response>

/** A server that listens at `url` until it is disposed of. */
export interface Listening extends Disposable {
  readonly url: string
}

/**
 * Serves at a port, on loopback without a `host`. Port 0 takes any free one.
 * @throws Error when the port is in use.
 */
export async function listen(serve: Handler, port: number, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer(getRequestListener(serve)).setTimeout(60_000).listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use: choose another, or stop what listens there`)
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
