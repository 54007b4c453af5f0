import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'

type Handler = (request: Request) => Response | Promise<Response>

/** Serves on loopback, at `url`, until it is disposed of. Port 0 takes any free one. */
export async function listen(handler: Handler, port: number): Promise<Disposable & { readonly url: string }> {
  const server = createServer(getRequestListener(handler)).listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use: choose another with --port, or stop what listens there`)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, [Symbol.dispose]: () => server.close().closeAllConnections() }
}
