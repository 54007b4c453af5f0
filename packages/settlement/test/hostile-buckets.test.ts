import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { httpBucket } from '@affine/blocks'
import { afterAll, describe, expect, it } from 'vitest'
import { publicFetch } from '../src/node/public-fetch.ts'
import { selfSigned } from './certificate.ts'

/** Of each server. */
const READS = Number(process.env.READS ?? 20)
const AT_ONCE = 10
const LIMIT = 1_000_000
/** No read that is answered comes near it; those that never are take this long. */
const TIMEOUT_MS = 10_000
const SILENCE_MS = 250

const FILE = randomBytes(90_000)
const ZEROS = Buffer.alloc(50_000_000)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const head = (status: string, ...headers: readonly string[]): string =>
  `HTTP/1.1 ${status}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`
const sized = (body: Buffer, ...headers: readonly string[]): Buffer =>
  Buffer.concat([Buffer.from(head('200 OK', ...headers, `Content-Length: ${body.length}`)), body])
/** Of no stated length: it ends with the connection. */
const closing = (body: Buffer, ...headers: readonly string[]): Buffer =>
  Buffer.concat([Buffer.from(head('200 OK', ...headers, 'Connection: close')), body])
const packed = (encoding: string): string => `Content-Encoding: ${encoding}`

/** Writes again and again until the other side is gone. */
function flood(socket: Socket, text: string): void {
  const more = (): boolean => !socket.destroyed && socket.write(text, () => setImmediate(more))
  more()
}

/** Writes a little now and then until the other side is gone. */
function drip(socket: Socket, text = 'a'): void {
  const timer = setInterval(() => socket.write(text), 20)
  socket.once('close', () => clearInterval(timer))
}

/** Those below TLS, by their remote ports. */
const raw = new Map<number | undefined, Socket>()

/** Writes so much, and then resets the connection. */
function reset(socket: Socket, text: string | Buffer = ''): void {
  socket.write(text, () => raw.get(socket.remotePort)?.resetAndDestroy())
}

/** What a server does with a connection on which it was asked for a file. */
type Deed = (socket: Socket) => unknown

/** What a read comes to: the file, or an error with this in its message. */
type Want = 'the file' | RegExp

const BROKEN = /aborted|hang up|ECONNRESET|EPIPE|closed|Premature/
const TOO_LARGE = /larger than/
const LATE = /timeout/

const DEEDS: Readonly<Record<string, readonly [Deed, Want, timeoutMs?: number]>> = {
  'an honest gzip body, and FIN': [
    (socket) => socket.end(closing(gzipSync(FILE), packed('gzip'))),
    'the file',
  ],
  'an honest br body, and FIN': [
    (socket) => socket.end(closing(brotliCompressSync(FILE, BROTLI), packed('br'))),
    'the file',
  ],
  'an honest deflate body, kept alive': [
    (socket) => socket.write(sized(deflateSync(FILE), packed('deflate'))),
    'the file',
  ],
  'an honest plain body, kept alive': [(socket) => socket.write(sized(FILE)), 'the file'],
  'an honest file of more than the limit, and FIN': [
    (socket) => socket.end(closing(Buffer.concat([...Array(12).fill(FILE)]))),
    TOO_LARGE,
  ],
  'a redirect with 20 kB, and FIN': [
    (socket) => {
      const body = FILE.subarray(0, 20_000)
      const headers = ['Location: /elsewhere', `Content-Length: ${body.length}`]
      socket.end(Buffer.concat([Buffer.from(head('302 Found', ...headers)), body]))
    },
    /status 302: no redirect/,
  ],
  'a failure with 200 kB, and FIN': [
    (socket) => socket.end(Buffer.concat([Buffer.from(head('500 No')), FILE, FILE])),
    /status 500/,
  ],
  'gzip that is cut short': [
    (socket) => socket.end(closing(gzipSync(FILE).subarray(0, -9), packed('gzip'))),
    /unexpected end of file/,
  ],
  'gzip that is none': [
    (socket) => socket.end(closing(FILE, packed('gzip'))),
    /incorrect header check/,
  ],
  'gzip and then no end': [
    (socket) => {
      socket.write(closing(gzipSync(FILE), packed('gzip')))
      flood(socket, '\0'.repeat(4000))
    },
    'the file',
  ],
  'an encoding that nobody asked for': [
    (socket) => socket.end(closing(FILE, packed('zstd'))),
    /content-encoding/,
  ],
  'a bomb of gzip': [bombOf(gzipSync(ZEROS, { level: 1 }), 'gzip'), TOO_LARGE],
  'a bomb of deflate': [bombOf(deflateSync(ZEROS, { level: 1 }), 'deflate'), TOO_LARGE],
  'a bomb of br': [bombOf(brotliCompressSync(ZEROS, BROTLI), 'br'), TOO_LARGE],
  'a body without an end': [
    (socket) => {
      socket.write(head('200 OK'))
      flood(socket, 'more'.repeat(1000))
    },
    TOO_LARGE,
  ],
  'headers without an end': [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      flood(socket, `X: ${'y'.repeat(1000)}\r\n`)
    },
    /Header overflow/,
  ],
  'a chunk that is none': [
    (socket) => socket.end(`${head('200 OK', 'Transfer-Encoding: chunked')}xyz\r\n`),
    BROKEN,
  ],
  'no HTTP': [(socket) => socket.end('220 ready\r\n'), /Parse Error/],
  'a status that is none': [(socket) => socket.end(head('999 No')), /status/],
  'a switch to another protocol': [
    (socket) => socket.write(head('101 Go', 'Upgrade: x', 'Connection: upgrade')),
    BROKEN,
  ],
  'no content, with some': [(socket) => socket.end(`${head('204 None')}body`), /status 204/],
  'one promise of an answer after the other': [
    (socket) => drip(socket, head('100 Continue')),
    LATE,
    SILENCE_MS,
  ],
  'a drip of headers': [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ')
      drip(socket)
    },
    LATE,
    SILENCE_MS,
  ],
  'a drip of a body': [
    (socket) => {
      socket.write(head('200 OK'))
      drip(socket)
    },
    LATE,
    SILENCE_MS,
  ],
  'silence within gzip': [
    (socket) => socket.write(closing(gzipSync(FILE).subarray(0, 50_000), packed('gzip'))),
    LATE,
    SILENCE_MS,
  ],
  'a reset before the status line': [(socket) => reset(socket), BROKEN],
  'a FIN before the status line': [(socket) => socket.end(), BROKEN],
  'a reset within headers': [(socket) => reset(socket, 'HTTP/1.1 200 OK\r\nX: '), BROKEN],
  'a FIN within headers': [(socket) => socket.end('HTTP/1.1 200 OK\r\nX: '), BROKEN],
  'a reset within a body': [(socket) => reset(socket, sized(FILE).subarray(0, 50_000)), BROKEN],
  'a FIN within a body': [(socket) => socket.end(sized(FILE).subarray(0, 50_000)), BROKEN],
  'a reset within gzip': [
    (socket) => reset(socket, closing(gzipSync(FILE).subarray(0, 50_000), packed('gzip'))),
    /aborted|unexpected end of file/,
  ],
}

function bombOf(bytes: Buffer, encoding: string): Deed {
  const answer = closing(bytes, packed(encoding))
  return (socket) => socket.end(answer)
}

const { key, cert: ca } = selfSigned('bucket.test')
const servers: Server[] = []
const open = new Set<Socket>()

/** Starts a server that does one thing, whatever it is asked, and gives its URL. */
async function hostile(deed: Deed, scheme: 'http' | 'https'): Promise<string> {
  const listener = (socket: Socket): void => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => {})
    let asked = ''
    socket.on('data', (chunk) => {
      asked += chunk
      if (!asked.endsWith('\r\n\r\n')) return
      asked = ''
      deed(socket)
    })
  }
  const server =
    scheme === 'https' ? createTls({ key, cert: ca }, listener) : createServer(listener)
  server.on('connection', (socket: Socket) => raw.set(socket.remotePort, socket))
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterAll(() => {
  for (const socket of open) socket.destroy()
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
  it.each(Object.entries(DEEDS))('%s', async (_, [deed, want, timeoutMs = TIMEOUT_MS]) => {
    const fetch = publicFetch({ allowPrivate: true, ca })
    const { read } = httpBucket(await hostile(deed, scheme), { fetch, timeoutMs })
    const ends = await endsOf(() => read('x', LIMIT))
    expect(ends).toHaveLength(READS)
    const others = ends.filter((end) => !(want instanceof RegExp ? want.test(end) : end === want))
    expect(others).toEqual([])
    // Idle connections are kept for a few seconds.
    await expect.poll(() => open.size, { timeout: 50_000 }).toBe(0)
  })
})
