import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a server on loopback and resolves with its URL. Port 0 takes any free one. */
export function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(
        taken ? new Error(`port ${port} is in use: choose another with --port, or stop what listens there`) : error,
      )
    })
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}
