import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a server on loopback and resolves with its URL. Port 0 takes any free one. */
export async function listen(server: Server, port: number): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use: choose another with --port, or stop what listens there`)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
