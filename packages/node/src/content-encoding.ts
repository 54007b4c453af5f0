import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'

type Bytes = AsyncIterable<Uint8Array>

const CODINGS = ['gzip', 'x-gzip', 'deflate', 'br']

/**
 * Tokens that name no coding. S3 may store `aws-chunked`, although it removes this coding on
 * upload.
 */
const NO_CODINGS = ['', 'identity', 'aws-chunked']

const MAX_CODINGS = 4

/**
 * Returns the body decoded by its `Content-Encoding`. With an unknown coding or more than four, the
 * body is unchanged: readers of evidence check its hash.
 */
export function decodeBody(response: IncomingMessage): Bytes {
  const tokens = (response.headers['content-encoding'] ?? '').toLowerCase().split(',')
  const codings = tokens.map((token) => token.trim()).filter((token) => !NO_CODINGS.includes(token))
  const isKnown = codings.every((coding) => CODINGS.includes(coding))
  if (!isKnown || codings.length === 0 || codings.length > MAX_CODINGS) return response
  return decode(response, codings)
}

async function* decode(
  response: IncomingMessage,
  codings: readonly string[],
): AsyncGenerator<Uint8Array> {
  try {
    yield* codings.reduceRight(decompress, response as Bytes)
  } finally {
    // Bytes that no one reads may follow the compressed data, so the connection is not reused.
    if (!response.readableEnded) response.destroy()
  }
}

async function* decompress(bytes: Bytes, coding: string): AsyncGenerator<Uint8Array> {
  // `createUnzip` decodes gzip and zlib, the format of `deflate`.
  const decoder = coding === 'br' ? createBrotliDecompress() : createUnzip()
  pipeline(copyChunks(bytes), decoder, () => {})
  yield* decoder
}

/**
 * Yields the bytes of a stream unchanged. Iteration joins all bytes that have arrived to one chunk;
 * `pipeline` would write each received chunk of a stream separately, even one of a single byte.
 */
async function* copyChunks(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield* bytes
}

/** Reports whether `decodeBody` failed because the body is not encoded as its header states. */
export const isDecodingError = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(code)
