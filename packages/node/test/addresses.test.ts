import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, it } from 'vitest'
import { fetchBy } from '../src/fetch.ts'
import { AGENT_OPTIONS, createAgents } from '../src/http-request.ts'

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
const fetch = fetchBy({ ...createAgents(), 'http:': new Agent({ ...AGENT_OPTIONS, lookup }) })

const gate = new Int32Array(new SharedArrayBuffer(4))
const worker = new Worker(SLOW_SERVER, { eval: true, workerData: gate })
const sockets: Socket[] = []
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await worker.terminate()
})

it('connects to a host with a slow IPv4 handshake and an unroutable IPv6 address', async () => {
  const [port] = (await once(worker, 'message')) as [number]
  // Fills the queue of connections, so that the system drops the next handshake's first packet and
  // repeats it after a second: longer than the 250 ms that Node allows by default.
  for (let i = 0; i < 8; i++) sockets.push(connect(port, '127.0.0.2').on('error', () => {}))
  await once(sockets[0] as Socket, 'connect')
  const response = fetch(`http://bucket.test:${port}/`)
  setTimeout(() => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }, 500)
  expect(await (await response).text()).toBe('here')
})

it('states a cause if no address can be reached', async () => {
  await expect(fetch('http://bucket.test:1/')).rejects.toThrow(/nothing listens there/)
})
