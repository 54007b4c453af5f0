import { createHash } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTls, type TlsOptions } from 'node:tls'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'

const SILENCE_MS = 250

/** The file that an honest answer holds. It cannot be made smaller, nor is it zlib's. */
export const FILE: Buffer = createHash('shake256', { outputLength: 90_000 }).digest()
const ZEROS = Buffer.alloc(50_000_000)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const [GZIP, BR, DEFLATED] = [gzipSync(FILE), brotliCompressSync(FILE, BROTLI), deflateSync(FILE)]
const [GZIP_BOMB, BR_BOMB] = [gzipSync(ZEROS, { level: 1 }), brotliCompressSync(ZEROS, BROTLI)]

const head = (status: string, ...headers: readonly string[]): string =>
  `HTTP/1.1 ${status}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`
const sized = (body: Buffer, ...headers: readonly string[]): Buffer =>
  Buffer.concat([Buffer.from(head('200 OK', ...headers, `Content-Length: ${body.length}`)), body])
/** Of no stated length: it ends with the connection. */
const closing = (body: Buffer, ...headers: readonly string[]): Buffer =>
  Buffer.concat([Buffer.from(head('200 OK', ...headers, 'Connection: close')), body])
const packed = (encoding: string): string => `Content-Encoding: ${encoding}`

const CHUNKED = 'Transfer-Encoding: chunked'
/** A body in chunks of so many bytes. */
function inChunks(body: Buffer, size: number, ...headers: readonly string[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(head('200 OK', CHUNKED, ...headers))]
  for (let from = 0; from < body.length; from += size) {
    const chunk = body.subarray(from, from + size)
    pieces.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

/** Writes again and again until the other side is gone. */
function flood(socket: Socket, piece: string | Buffer): void {
  const bytes = Buffer.concat(Array(Math.ceil(2 ** 18 / piece.length)).fill(Buffer.from(piece)))
  const more = (): boolean => !socket.destroyed && socket.write(bytes, () => setImmediate(more))
  more()
}

/** Begins in one way, and then writes the same again and again. */
const floodAfter =
  (start: string | Buffer, piece: string | Buffer): Deed =>
  (socket) => {
    socket.write(start)
    flood(socket, piece)
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
export type Deed = (socket: Socket) => unknown

/** What a read comes to: the file, or an error with this in its message. */
type Want = 'the file' | RegExp

const BROKEN = /aborted|hang up|ECONNRESET|EPIPE|closed|Premature/
const TOO_LARGE = /larger than/
const LATE = /timeout/
const EXCESS = /far more than there is to read/

/** By what they are called: what they make of a read, and how long one is to take that has no end. */
export const DEEDS: Readonly<Record<string, readonly [Deed, Want, timeoutMs?: number]>> = {
  'an honest gzip body, and FIN': [
    (socket) => socket.end(closing(GZIP, packed('gzip'))),
    'the file',
  ],
  'an honest br body, and FIN': [(socket) => socket.end(closing(BR, packed('br'))), 'the file'],
  'an honest deflate body, kept alive': [
    (socket) => socket.write(sized(DEFLATED, packed('deflate'))),
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
    (socket) => socket.end(closing(GZIP.subarray(0, -9), packed('gzip'))),
    /unexpected end of file/,
  ],
  'bytes that are not the gzip they claim to be': [
    (socket) => socket.end(closing(FILE, packed('gzip'))),
    /incorrect header check/,
  ],
  'gzip and then no end': [floodAfter(closing(GZIP, packed('gzip')), '\0'), 'the file'],
  'an honest plain body in chunks of 16 bytes': [
    (socket) => socket.write(inChunks(FILE, 16)),
    'the file',
  ],
  'an honest gzip body in chunks of 16 bytes': [
    (socket) => socket.write(inChunks(GZIP, 16, packed('gzip'))),
    'the file',
  ],
  'a head of 16 kB': [
    (socket) => socket.write(sized(FILE, `X: ${'y'.repeat(15_900)}`)),
    'the file',
  ],
  'an encoding that nobody asked for': [
    (socket) => socket.end(closing(FILE, packed('zstd'))),
    /content-encoding/,
  ],
  'a bomb of gzip': [bombOf(GZIP_BOMB, 'gzip'), TOO_LARGE],
  'a bomb of deflate': [bombOf(deflateSync(ZEROS, { level: 1 }), 'deflate'), TOO_LARGE],
  'a bomb of br': [bombOf(BR_BOMB, 'br'), TOO_LARGE],
  'a bomb of gzip in chunks of one byte': [
    (socket) => socket.write(inChunks(GZIP_BOMB.subarray(0, 9000), 1, packed('gzip'))),
    TOO_LARGE,
  ],
  'a bomb of br in chunks of one byte': [
    (socket) => socket.write(inChunks(BR_BOMB, 1, packed('br'))),
    TOO_LARGE,
  ],
  'a body without an end': [floodAfter(head('200 OK'), 'more'), TOO_LARGE],
  'headers without an end': [
    floodAfter('HTTP/1.1 200 OK\r\n', `X: ${'y'.repeat(1000)}\r\n`),
    /Header overflow/,
  ],
  'trailers without an end': [
    floodAfter(`${head('200 OK', CHUNKED)}0\r\n`, `X: ${'y'.repeat(1000)}\r\n`),
    BROKEN,
  ],
  'interim answers without an end': [floodAfter('', head('100 Continue')), EXCESS],
  'interim answers of 2000 headers': [
    floodAfter('', head('103 Hints', ...Array(2000).fill('X:'))),
    EXCESS,
  ],
  'blank lines without an end': [floodAfter('', '\r\n'), EXCESS],
  'gzip of nothing without an end': [
    floodAfter(head('200 OK', packed('gzip')), gzipSync('')),
    EXCESS,
  ],
  'chunks of one byte': [floodAfter(head('200 OK', CHUNKED), '1\r\na\r\n'), EXCESS],
  'long extensions of chunks': [
    floodAfter(head('200 OK', CHUNKED), `1;${'x'.repeat(9000)}\r\na\r\n`),
    EXCESS,
  ],
  'one answer after the other': [
    floodAfter('', sized(Buffer.from('no'))),
    /another file|Parse Error/,
  ],
  'a malformed chunk': [
    (socket) => socket.end(`${head('200 OK', 'Transfer-Encoding: chunked')}xyz\r\n`),
    BROKEN,
  ],
  'no HTTP': [(socket) => socket.end('220 ready\r\n'), /Parse Error/],
  'a status that HTTP does not know': [(socket) => socket.end(head('999 No')), /status/],
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
    (socket) => socket.write(closing(GZIP.subarray(0, 50_000), packed('gzip'))),
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
    (socket) => reset(socket, closing(GZIP.subarray(0, 50_000), packed('gzip'))),
    /aborted|unexpected end of file/,
  ],
}

function bombOf(bytes: Buffer, encoding: string): Deed {
  const answer = closing(bytes, packed(encoding))
  return (socket) => socket.end(answer)
}

/** A server that does with every request what `deedOf` says; with a key and certificate over TLS. */
export function hostileServer(deedOf: (path: string) => Deed, tls?: TlsOptions): Server {
  const listener = (socket: Socket): void => {
    socket.on('error', () => {})
    let asked = ''
    socket.on('data', (chunk) => {
      asked += chunk
      if (!asked.endsWith('\r\n\r\n')) return
      const [, path = ''] = asked.split(' ', 2)
      asked = ''
      deedOf(path)(socket)
    })
  }
  const server = tls ? createTls(tls, listener) : createServer(listener)
  return server.on('connection', (socket: Socket) => {
    raw.set(socket.remotePort, socket)
    socket.once('close', () => raw.delete(socket.remotePort))
  })
}
