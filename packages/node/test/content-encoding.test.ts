import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { closeServers, serve } from '../../../test/web-server.ts'
import { isDecodingError } from '../src/content-encoding.ts'
import { nodeFetch } from '../src/fetch.ts'

afterAll(closeServers)

const FILE = Buffer.from('{"role":"user"}\n'.repeat(100))

/** Serves a body with this `Content-Encoding`, and returns what the client reads. */
async function read(coding: string, body: Uint8Array): Promise<Buffer> {
  const url = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end(body),
  )
  return Buffer.from(await (await nodeFetch(url)).arrayBuffer())
}

it.each<[coding: string, encode: (bytes: Uint8Array) => Uint8Array]>([
  ['aws-chunked,gzip', gzipSync],
  ['GZip', gzipSync],
  ['x-gzip', gzipSync],
  ['gzip, gzip', (bytes) => gzipSync(gzipSync(bytes))],
  ['deflate, br', (bytes) => brotliCompressSync(deflateSync(bytes))],
  ['deflate', deflateSync],
])('decodes a body with the Content-Encoding "%s"', async (coding, encode) => {
  expect(await read(coding, encode(FILE))).toEqual(FILE)
})

it.each([
  ...['', '  ', 'IDENTITY', 'none', 'utf-8', 'aws-chunked'],
  ...['gzip, utf-8', 'constructor', 'gzip,gzip,gzip,gzip,gzip'],
])('does not decode a body with no, unknown or over four codings: "%s"', async (coding) => {
  const body = gzipSync(FILE)
  expect(await read(coding, body)).toEqual(body)
})

it.each([
  ['gzip', Buffer.from('plain')],
  ['gzip', gzipSync(FILE).subarray(0, -9)],
  ['deflate', Buffer.from('plain')],
  ['br', Buffer.from('plain')],
])('rejects a body that is no valid %s, with a code of decoding errors', async (coding, body) => {
  const error = await read(coding, body).catch((error) => error)
  expect(error).toBeInstanceOf(Error)
  expect(isDecodingError(error)).toBe(true)
})
