import type { IncomingMessage } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { createBrotliDecompress, createInflate, createInflateRaw, createUnzip } from 'node:zlib'

/** Bytes as they arrive. */
type Bytes = AsyncIterable<Uint8Array>

const DECODERS: Readonly<Record<string, (bytes: Bytes) => Bytes>> = {
  gzip: (bytes) => through(bytes, createUnzip()),
  'x-gzip': (bytes) => through(bytes, createUnzip()),
  deflate: inflate,
  br: (bytes) => through(bytes, createBrotliDecompress()),
}

/** Tokens that leave the body as it is. S3 may store `aws-chunked`, which was undone on upload. */
const NO_CODINGS = ['', 'identity', 'aws-chunked']

/** Maximum codings of one body. */
const MOST_CODINGS = 4

/**
 * Returns the body decoded by its `Content-Encoding`. The body is unchanged if one of the codings
 * is unknown: readers of evidence check its hash.
 */
export function decodeBody(response: IncomingMessage): Bytes {
  const tokens = (response.headers['content-encoding'] ?? '').toLowerCase().split(',')
  const codings = tokens.map((token) => token.trim()).filter((token) => !NO_CODINGS.includes(token))
  const isKnown = codings.every((coding) => Object.hasOwn(DECODERS, coding))
  if (!isKnown || codings.length === 0 || codings.length > MOST_CODINGS) return response
  return decode(response, codings)
}

async function* decode(
  response: IncomingMessage,
  codings: readonly string[],
): AsyncGenerator<Uint8Array> {
  try {
    const body: Bytes = response
    yield* codings.reduceRight((bytes, coding) => DECODERS[coding]?.(bytes) ?? bytes, body)
  } finally {
    // More may follow the end of the compressed bytes.
    if (!response.readableEnded) response.destroy()
  }
}

async function* through(bytes: Bytes, decoder: Transform): AsyncGenerator<Uint8Array> {
  pipeline(chunksOf(bytes), decoder, () => {})
  yield* decoder
}

/** A generator, since a stream would write each received chunk on its own: it may be one byte. */
async function* chunksOf(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield* bytes
}

/** The low four bits of the first byte of a zlib header: the method "deflate". */
const DEFLATE_METHOD = 8

/** Inflates `deflate`, which servers send with or without the zlib header. */
async function* inflate(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const hasHeader = ((first.value[0] ?? 0) & 0x0f) === DEFLATE_METHOD
  yield* through(all(), hasHeader ? createInflate() : createInflateRaw())
}

/** Reports whether `decodeBody` failed because the body is not encoded as its header states. */
export const isDecodingError = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(code)
