import { createHash } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTls, type TlsOptions } from 'node:tls'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'

const SILENCE_MS = 250

/** The file in honest answers. It is incompressible, and not in zlib's format. */
export const FILE: Buffer = createHash('shake256', { outputLength: 90_000 }).digest()
const ZEROS = Buffer.alloc(50_000_000)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const [GZIP, BR, DEFLATED] = [gzipSync(FILE), brotliCompressSync(FILE, BROTLI), deflateSync(FILE)]
const [GZIP_BOMB, BR_BOMB] = [gzipSync(ZEROS, { level: 1 }), brotliCompressSync(ZEROS, BROTLI)]
const DEFLATE_BOMB = deflateSync(ZEROS, { level: 1 })

const head = (status: string, ...headers: readonly string[]): string =>
  `HTTP/1.1 ${status}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`
const sized = (body: Buffer, ...headers: readonly string[]): Buffer =>
  Buffer.concat([Buffer.from(head('200 OK', ...headers, `Content-Length: ${body.length}`)), body])
/** Returns a response without a length, which ends with the connection. */
const closing = (body: Buffer, ...headers: readonly string[]): Buffer =>
  Buffer.concat([Buffer.from(head('200 OK', ...headers, 'Connection: close')), body])
const packed = (encoding: string): string => `Content-Encoding: ${encoding}`

const CHUNKED = 'Transfer-Encoding: chunked'
/** Returns a response with a body in chunks of `size` bytes. */
function inChunks(body: Buffer, size: number, ...headers: readonly string[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(head('200 OK', CHUNKED, ...headers))]
  for (let from = 0; from < body.length; from += size) {
    const chunk = body.subarray(from, from + size)
    pieces.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

/** A server's reaction to a request for a file. */
export type Deed = (socket: Socket) => unknown

/** Returns a deed that writes `start`, and then `piece` repeatedly until the other side is gone. */
function floods(start: string | Buffer, piece: string | Buffer): Deed {
  const bytes = Buffer.concat(Array(Math.ceil(2 ** 18 / piece.length)).fill(Buffer.from(piece)))
  return (socket) => {
    const more = (): boolean => !socket.destroyed && socket.write(bytes, () => setImmediate(more))
    socket.write(start)
    more()
  }
}

/**
 * Returns a deed that writes `start`, and then `text` at intervals until the other side is gone.
 */
function drips(start: string, text = 'a'): Deed {
  return (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(text), 20)
    socket.once('close', () => clearInterval(timer))
  }
}

/** Returns a deed that writes these bytes and no more. */
function writes(bytes: string | Buffer): Deed {
  return (socket) => socket.write(bytes)
}

/** Returns a deed that writes these bytes and closes the server's side. */
function ends(bytes: string | Buffer = ''): Deed {
  return (socket) => socket.end(bytes)
}

/** Sockets below TLS, by remote port. */
const raw = new Map<number | undefined, Socket>()

/** Returns a deed that writes these bytes and resets the connection. */
function resets(bytes: string | Buffer = ''): Deed {
  return (socket) => socket.write(bytes, () => raw.get(socket.remotePort)?.resetAndDestroy())
}

/** The result of a read: the file, or an error with this in its message. */
type Want = 'the file' | RegExp

const BROKEN = /aborted|hang up|ECONNRESET|EPIPE|closed|Premature/
const TOO_LARGE = /larger than/
const LATE = /no complete response in time/
const EXCESS = /far more than is read/

const REDIRECT = head('302 Found', 'Location: /elsewhere', 'Content-Length: 20000')
const HEADERS = 'HTTP/1.1 200 OK\r\nX: '
const LONG_HEADER = `X: ${'y'.repeat(1000)}\r\n`
const MOST_OF_FILE = sized(FILE).subarray(0, 50_000)
const MOST_OF_GZIP = closing(GZIP.subarray(0, 50_000), packed('gzip'))

/** Deeds by name, with the result of a read, and the time limit of a read that would not end. */
export const DEEDS: Readonly<Record<string, readonly [Deed, Want, timeoutMs?: number]>> = {
  'honest gzip, and FIN': [ends(closing(GZIP, packed('gzip'))), 'the file'],
  'honest br, and FIN': [ends(closing(BR, packed('br'))), 'the file'],
  'honest deflate, kept alive': [writes(sized(DEFLATED, packed('deflate'))), 'the file'],
  'honest bytes, kept alive': [writes(sized(FILE)), 'the file'],
  'a file too large': [ends(closing(Buffer.concat(Array(12).fill(FILE)))), TOO_LARGE],
  'a redirect with 20 kB': [
    ends(Buffer.concat([Buffer.from(REDIRECT), FILE.subarray(0, 20_000)])),
    /status 302: no redirect/,
  ],
  'a failure with 180 kB': [
    ends(Buffer.concat([Buffer.from(head('500 No')), FILE, FILE])),
    /status 500/,
  ],
  'gzip cut short': [ends(closing(GZIP.subarray(0, -9), packed('gzip'))), /unexpected end of file/],
  'bytes called gzip': [ends(closing(FILE, packed('gzip'))), /incorrect header check/],
  'gzip, then no end': [floods(closing(GZIP, packed('gzip')), '\0'), 'the file'],
  'chunks of 16 bytes': [writes(inChunks(FILE, 16)), 'the file'],
  'gzip in small chunks': [writes(inChunks(GZIP, 16, packed('gzip'))), 'the file'],
  'a head of 16 kB': [writes(sized(FILE, `X: ${'y'.repeat(15_900)}`)), 'the file'],
  'an unknown encoding': [ends(closing(FILE, packed('zstd'))), 'the file'],
  'a bomb of gzip': [ends(closing(GZIP_BOMB, packed('gzip'))), TOO_LARGE],
  'a bomb of deflate': [ends(closing(DEFLATE_BOMB, packed('deflate'))), TOO_LARGE],
  'a bomb of br': [ends(closing(BR_BOMB, packed('br'))), TOO_LARGE],
  'a bomb in single bytes': [
    writes(inChunks(GZIP_BOMB.subarray(0, 9000), 1, packed('gzip'))),
    TOO_LARGE,
  ],
  'a br bomb, byte-wise': [writes(inChunks(BR_BOMB, 1, packed('br'))), TOO_LARGE],
  'a body without an end': [floods(head('200 OK'), 'more'), TOO_LARGE],
  'headers without an end': [floods('HTTP/1.1 200 OK\r\n', LONG_HEADER), /Header overflow/],
  'trailers without an end': [floods(`${head('200 OK', CHUNKED)}0\r\n`, LONG_HEADER), BROKEN],
  'endless interim answers': [floods('', head('100 Continue')), EXCESS],
  'interim answers of 2000 headers': [
    floods('', head('103 Hints', ...Array(2000).fill('X:'))),
    EXCESS,
  ],
  'endless blank lines': [floods('', '\r\n'), EXCESS],
  'endless empty gzip': [floods(head('200 OK', packed('gzip')), gzipSync('')), EXCESS],
  'chunks of one byte': [floods(head('200 OK', CHUNKED), '1\r\na\r\n'), EXCESS],
  'long extensions of chunks': [
    floods(head('200 OK', CHUNKED), `1;${'x'.repeat(9000)}\r\na\r\n`),
    EXCESS,
  ],
  'answer after answer': [floods('', sized(Buffer.from('no'))), /another file|Parse Error/],
  'a malformed chunk': [ends(`${head('200 OK', CHUNKED)}xyz\r\n`), BROKEN],
  'no HTTP': [ends('220 ready\r\n'), /Parse Error/],
  'an unknown status': [ends(head('999 No')), /status/],
  'a switch to another protocol': [
    writes(head('101 Go', 'Upgrade: x', 'Connection: upgrade')),
    BROKEN,
  ],
  'no content, with some': [ends(`${head('204 None')}body`), /status 204/],
  'a drip of promises': [drips('', head('100 Continue')), LATE, SILENCE_MS],
  'a drip of headers': [drips(HEADERS), LATE, SILENCE_MS],
  'a drip of a body': [drips(head('200 OK')), LATE, SILENCE_MS],
  'silence within gzip': [writes(MOST_OF_GZIP), LATE, SILENCE_MS],
  'a reset before anything': [resets(), BROKEN],
  'a FIN before anything': [ends(), BROKEN],
  'a reset within headers': [resets(HEADERS), BROKEN],
  'a FIN within headers': [ends(HEADERS), BROKEN],
  'a reset within a body': [resets(MOST_OF_FILE), BROKEN],
  'a FIN within a body': [ends(MOST_OF_FILE), BROKEN],
  'a reset within gzip': [resets(MOST_OF_GZIP), /aborted|unexpected end of file/],
}

/**
 * Returns a server that reacts to every request with the deed that `behaviourOf` returns for the
 * request's path; over TLS if `tls` is given.
 */
export function hostileServer(behaviourOf: (path: string) => Deed, tls?: TlsOptions): Server {
  const listener = (socket: Socket): void => {
    socket.on('error', () => {})
    let request = ''
    socket.on('data', (chunk) => {
      request += chunk
      if (!request.endsWith('\r\n\r\n')) return
      const [, path = ''] = request.split(' ', 2)
      request = ''
      behaviourOf(path)(socket)
    })
  }
  const server = tls ? createTls(tls, listener) : createServer(listener)
  return server.on('connection', (socket: Socket) => {
    raw.set(socket.remotePort, socket)
    socket.once('close', () => raw.delete(socket.remotePort))
  })
}
