import type { Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { closeServers, serve } from '../../../test/web-server.ts'
import { nodeFetch } from '../src/fetch.ts'

afterAll(closeServers)

test('repeats a request on another connection if a reused connection closes', async () => {
  let requests = 0
  const bodies: string[] = []
  const connections = new Set<Socket>()
  const url = await serve((request, response) => {
    connections.add(request.socket)
    requests += 1
    if (requests === 2) return void request.socket.resetAndDestroy()
    request.on('data', (chunk: Buffer) => bodies.push(String(chunk)))
    request.on('end', () => response.end(`answer ${requests}`))
  })
  for (const want of ['answer 1', 'answer 3']) {
    const response = await nodeFetch(url, { method: 'POST', body: want })
    expect(await response.text()).toBe(want)
  }
  expect([requests, connections.size]).toEqual([3, 2])
  expect(bodies).toEqual(['answer 1', 'answer 3'])
})

test('rejects without a retry if a new connection closes', async () => {
  let requests = 0
  const url = await serve(({ socket }) => {
    requests += 1
    socket.resetAndDestroy()
  })
  await expect(nodeFetch(url)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(requests).toBe(1)
})

test('closes an idle connection on which a server sends data', async () => {
  const sockets: Socket[] = []
  const url = await serve(({ socket }, response) => {
    sockets.push(socket.on('error', () => {}))
    response.end('answer')
  })
  expect(await (await nodeFetch(url)).text()).toBe('answer')
  await new Promise(setImmediate) // the client makes the connection idle
  let left = 1000
  while (left > 0 && (await wasSent(sockets[0]))) left -= 1
  expect(left).toBeGreaterThan(0)
})

/** Resolves with true when 64 KiB are sent, or false if the client has disconnected. */
const wasSent = (socket?: Socket): Promise<boolean> =>
  new Promise((resolve) => socket?.write('more'.repeat(2 ** 14), (error) => resolve(!error)))
