import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const servers = new Set<Server>()

/** Starts a web server, and returns its URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.add(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Closes all servers, with open requests. */
export function closeServers(): void {
  for (const server of servers) server.close().closeAllConnections()
  servers.clear()
}
