import { bytesToHex } from '@noble/hashes/utils.js'
import { expect, it } from 'vitest'
import { statePath } from '../src/index.ts'
import { s3Bucket } from '../src/s3-bucket.ts'

const place = {
  endpoint: 'https://s3.example.org',
  bucket: 'bucket',
  accessKeyId: 'ID',
  secretAccessKey: 'secret',
}
const bytes = (content: string) => new TextEncoder().encode(content)

it('signs, compresses and compares on every platform', async () => {
  const files = new Map<string, ArrayBuffer>()
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init)
    const body = await request.arrayBuffer()
    const signed = request.headers.get('x-amz-content-sha256')
    expect(signed).toBe(bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', body))))
    expect(request.headers.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=ID\/\d{8}\/auto\/s3\/aws4_request, /,
    )
    asked.push(`${request.method} ${request.url}`)
    const there = files.get(request.url)
    if (request.method === 'GET')
      return there ? new Response(there) : new Response('<Code>NoSuchKey</Code>', { status: 404 })
    if (there) return new Response('', { status: 412 })
    const headers = ['if-none-match', 'content-encoding', 'content-type'].map((name) =>
      request.headers.get(name),
    )
    expect(headers).toEqual(['*', 'gzip', 'application/json'])
    const inside = new Blob([body]).stream().pipeThrough(new DecompressionStream('gzip'))
    files.set(request.url, await new Response(inside).arrayBuffer())
    return new Response('')
  }
  const bucket = s3Bucket({ now: Date.now, ...place, fetch })
  expect(await bucket.read(statePath(7), 10)).toBeNull()
  await bucket.write(statePath(7), bytes('{"a":1}'))
  await bucket.write(statePath(7), bytes('{"a":1}'))
  await expect(bucket.write(statePath(7), bytes('{"a":2}'))).rejects.toThrow(
    'the file exists with other content',
  )
  expect(await bucket.read(statePath(7), 7)).toEqual(bytes('{"a":1}'))
  await expect(bucket.read(statePath(7), 6)).rejects.toThrow('larger than 6 bytes')
  const url = 'https://s3.example.org/bucket/v1/states/7.json'
  expect(asked).toEqual(
    ['GET', 'PUT', 'GET', 'PUT', 'GET', 'PUT', 'GET', 'GET', 'GET'].map(
      (method) => `${method} ${url}`,
    ),
  )
})
