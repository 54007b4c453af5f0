import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { httpBucket } from '@affine/blocks'
import { afterAll, describe, expect, it } from 'vitest'
import { publicFetch } from '../src/node/public-fetch.ts'
import { selfSigned } from './certificate.ts'
import { DEEDS, FILE, hostileServer } from './hostile-server.ts'

/** Of each server. */
const READS = Number(process.env.READS ?? 10)
const AT_ONCE = 5
const LIMIT = 1_000_000
/** Every read ends long before, but for those that have no end. */
const TIMEOUT_MS = 50_000
const TEST_TIMEOUT_MS = 240_000

const { key, cert: ca } = selfSigned('bucket.test')
const servers: Server[] = []
/** Connections that a server has, and what it does. */
const open = new Map<Socket, string>()

/** Starts a server that does one thing, whatever it is asked, and gives its URL. */
async function hostile(name: string, scheme: 'http' | 'https'): Promise<string> {
  const [deed] = DEEDS[name] ?? expect.fail(`no ${name}`)
  const server = hostileServer(() => deed, scheme === 'https' ? { key, cert: ca } : undefined)
  server.on('connection', (socket: Socket) => {
    open.set(socket, `${scheme}: ${name}`)
    socket.once('close', () => open.delete(socket))
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterAll(() => {
  for (const socket of open.keys()) socket.destroy()
  for (const server of servers) server.close()
})

/** Reads so many times, some at once, and gives how each read ended. */
async function endsOf(read: () => Promise<Uint8Array | null>): Promise<readonly string[]> {
  const ends: string[] = []
  let left = READS
  const one = (): Promise<string> =>
    read().then(
      (bytes) => (bytes && FILE.equals(bytes) ? 'the file' : 'another file'),
      ({ message }: Error) => message,
    )
  const inTurn = async (): Promise<void> => {
    while (left-- > 0) ends.push(await one())
  }
  await Promise.all(Array.from({ length: AT_ONCE }, inTurn))
  return ends
}

describe.each(['http', 'https'] as const)('a bucket over %s that answers with', (scheme) => {
  const cases = Object.entries(DEEDS)
  it.each(cases)('%s', { timeout: TEST_TIMEOUT_MS }, async (name, [, want, patience]) => {
    const fetch = publicFetch({ allowPrivate: true, ca })
    const { read } = httpBucket(await hostile(name, scheme), {
      fetch,
      timeoutMs: patience ?? TIMEOUT_MS,
    })
    const ends = await endsOf(() => read('x', LIMIT))
    expect(ends).toHaveLength(READS)
    const others = ends.filter((end) => !(want instanceof RegExp ? want.test(end) : end === want))
    expect(others).toEqual([])
  })
})

it('a bucket that was read has no connection in the end', async () => {
  // Idle ones are kept for a few seconds.
  await expect.poll(() => [...open.values()], { timeout: TIMEOUT_MS }).toEqual([])
})
