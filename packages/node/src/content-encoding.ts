import type { IncomingMessage } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'

/** Bytes as they arrive. */
type Bytes = AsyncIterable<Uint8Array>

/** Decoders by coding. `createUnzip` tells gzip and zlib, the format of `deflate`, apart. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
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
    yield* codings.reduceRight(through, response as Bytes)
  } finally {
    // More may follow the end of the compressed bytes.
    if (!response.readableEnded) response.destroy()
  }
}

async function* through(bytes: Bytes, coding: string): AsyncGenerator<Uint8Array> {
  const decoder = (DECODERS[coding] ?? createUnzip)()
  pipeline(chunksOf(bytes), decoder, () => {})
  yield* decoder
}

/** A generator, since a stream would write each received chunk on its own: it may be one byte. */
async function* chunksOf(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield* bytes
}

/** Reports whether `decodeBody` failed because the body is not encoded as its header states. */
export const isDecodingError = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(code)
