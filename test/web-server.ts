import { once } from 'node:events'
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

const servers = new Set<Server>()

/** Starts a server on loopback and resolves with its URL. Port 0 stands for any free port. */
export async function listen(server: Server, port = 0): Promise<string> {
  servers.add(server)
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a web server on loopback and resolves with its URL. */
export const serve = (listener: RequestListener): Promise<string> => listen(createServer(listener))

/** Closes all servers, including connections with open requests. For `afterAll`. */
export function closeServers(): void {
  for (const server of servers) (server.close() as HttpServer).closeAllConnections?.()
  servers.clear()
}
