import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, it } from 'vitest'
import { nodeFetch } from '../src/node-fetch.ts'

it.each([
  ['GET', 'GET GET GET'],
  ['PUT', 'GET PUT'],
])('sends a %s on a kept connection that closes: %s', async (method, wanted) => {
  const asked: string[] = []
  const answered = new Set<Socket>()
  const server = createServer((request, response) => {
    asked.push(request.method ?? '')
    // The second request on a connection finds it closed.
    if (answered.has(request.socket)) return request.socket.resetAndDestroy()
    answered.add(request.socket)
    return response.end('here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    expect(await (await nodeFetch(url)).text()).toBe('here')
    const again = nodeFetch(url, { method, body: method === 'PUT' ? 'x' : null })
    if (method === 'GET') expect(await (await again).text()).toBe('here')
    else await expect(again).rejects.toThrow(/ECONNRESET|hang up/)
    expect(asked.join(' ')).toBe(wanted)
  } finally {
    server.close().closeAllConnections()
  }
})
