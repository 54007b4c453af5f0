import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { closeServers, serve } from '../../../test/web-server.ts'
import { isDecodingError } from '../src/content-encoding.ts'
import { fetchBy, nodeFetch } from '../src/fetch.ts'
import { AGENT_OPTIONS, createAgents } from '../src/http-request.ts'

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

const FILE = Buffer.from('{"role":"user"}\n'.repeat(100))

/** Serves a body with this `Content-Encoding`, and returns what the client reads. */
async function read(coding: string, body: Uint8Array): Promise<Buffer> {
  const url = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end(body),
  )
  return Buffer.from(await (await nodeFetch(url)).arrayBuffer())
}

test.each<[coding: string, encode: (bytes: Uint8Array) => Uint8Array]>([
  ['aws-chunked,gzip', gzipSync],
  ['GZip', gzipSync],
  ['x-gzip', gzipSync],
  ['gzip, gzip', (bytes) => gzipSync(gzipSync(bytes))],
  ['deflate, br', (bytes) => brotliCompressSync(deflateSync(bytes))],
  ['deflate', deflateSync],
])('decodes a body with the Content-Encoding "%s"', async (coding, encode) => {
  expect(await read(coding, encode(FILE))).toEqual(FILE)
})

test.each([
  ...['', '  ', 'IDENTITY', 'none', 'utf-8', 'aws-chunked'],
  ...['gzip, utf-8', 'constructor', 'gzip,gzip,gzip,gzip,gzip'],
])('does not decode a body with no, unknown or over four codings: "%s"', async (coding) => {
  const body = gzipSync(FILE)
  expect(await read(coding, body)).toEqual(body)
})

test.each([
  ['gzip', Buffer.from('plain')],
  ['gzip', gzipSync(FILE).subarray(0, -9)],
  ['deflate', Buffer.from('plain')],
  ['br', Buffer.from('plain')],
])('rejects a body that is no valid %s, with a code of decoding errors', async (coding, body) => {
  const error = await read(coding, body).catch((error) => error)
  expect(error).toBeInstanceOf(Error)
  expect(isDecodingError(error)).toBe(true)
})

/** Listens on 127.0.0.2 and accepts nothing until the number in `gate` changes. */
const SLOW_SERVER = `
  const { parentPort, workerData: gate } = require('node:worker_threads')
  const server = require('node:http').createServer((_, response) => response.end('here'))
  server.listen({ port: 0, host: '127.0.0.2', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(gate, 0, 0)
  })`

/** Resolves any name to the address of the server and to one that no network leads to. */
const lookup: LookupFunction = (_, __, done) =>
  done(null, [
    { address: '127.0.0.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
const fetchNamed = fetchBy({ ...createAgents(), 'http:': new Agent({ ...AGENT_OPTIONS, lookup }) })

const gate = new Int32Array(new SharedArrayBuffer(4))
const worker = new Worker(SLOW_SERVER, { eval: true, workerData: gate })
const listening = once(worker, 'message')
const sockets: Socket[] = []
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await worker.terminate()
})

test('connects to a host with a slow IPv4 handshake and an unroutable IPv6 address', async () => {
  const [port] = (await listening) as [number]
  // Fills the queue of connections, so that the system drops the next handshake's first packet and
  // repeats it after a second: longer than the 250 ms that Node allows by default.
  for (let i = 0; i < 8; i++) sockets.push(connect(port, '127.0.0.2').on('error', () => {}))
  await once(sockets[0] as Socket, 'connect')
  const response = fetchNamed(`http://bucket.test:${port}/`)
  setTimeout(() => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }, 500)
  expect(await (await response).text()).toBe('here')
})

test('states a cause if no address can be reached', async () => {
  await expect(fetchNamed('http://bucket.test:1/')).rejects.toThrow(/nothing listens there/)
})
