import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { s3Bucket } from '@affine/blocks/s3'
import { NODE_HOST } from '@affine/settlement/host'
import { afterAll } from 'vitest'
import { bucketSuite } from '../../../packages/blocks/test/bucket-suite.ts'
import { patient } from '../../../packages/blocks/test/patient.ts'
import { closeServers, serve } from '../../../test/web-server.ts'
import { GOOGLE } from '../src/buckets/backends.ts'

const KEYS = { accessKeyId: 'GOOG1EXAMPLE', secretAccessKey: 'google/secret+key' }

bucketSuite('a bucket in Google Cloud Storage', async () => {
  const endpoint = await serveGoogle()
  const { now, fetch } = NODE_HOST
  const bucket = s3Bucket({ endpoint, bucket: 'bucket', ...KEYS, dialect: GOOGLE, now, fetch })
  return { bucket: patient(bucket) }
})
afterAll(closeServers)

/**
 * Starts a service that follows Google's documentation of the XML API of Cloud Storage with HMAC
 * keys: requests must be signed in Google's dialect and have no headers of Amazon, and only
 * `x-goog-if-generation-match` makes a write conditional. Resolves with its URL.
 */
function serveGoogle(): Promise<string> {
  const files = new Map<string, readonly [body: Buffer, encoding: string]>()
  return serve(async (request, answer) => {
    const { method, url = '', headers } = request
    const body = await buffer(request)
    const isNew = headers['x-goog-if-generation-match'] === '0'
    const found = files.get(url)
    let problem = problemWith(request, body)
    if (method === 'PUT' && isNew && found) problem ??= [412, 'PreconditionFailed']
    if (method === 'GET' && !found) problem ??= [404, 'NoSuchKey']
    const [status, code] = problem ?? [200]
    if (code) return void answer.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    if (method === 'PUT') files.set(url, [body, String(headers['content-encoding'])])
    const [stored, encoding = ''] = found ?? []
    answer.writeHead(status, { 'content-encoding': encoding }).end(method === 'GET' ? stored : '')
  })
}

/** Returns the status and code with which Google would reject a request. */
function problemWith(
  request: IncomingMessage,
  body: Buffer,
): readonly [status: number, code: string] | undefined {
  const { headers } = request
  if (Object.keys(headers).some((name) => name.startsWith('x-amz-')))
    return [400, 'ExcessHeaderValues']
  const sha256 = createHash('sha256').update(body).digest('hex')
  if (headers['x-goog-content-sha256'] !== sha256) return [400, 'BadDigest']
  if (headers.authorization === authorizationOf(request, sha256)) return undefined
  return [403, 'SignatureDoesNotMatch']
}

/** Returns the expected signature of the headers that the request lists as signed. Source: Google's page "Signatures". */
function authorizationOf({ method, url, headers }: IncomingMessage, sha256: string): string {
  const time = String(headers['x-goog-date'])
  const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? []
  const fields = signed.split(';').map((name) => `${name}:${headers[name]}\n`)
  const request = `${method}\n${url}\n\n${fields.join('')}\n${signed}\n${sha256}`
  const scope = `${time.slice(0, 8)}/auto/storage/goog4_request`
  const digest = createHash('sha256').update(request).digest('hex')
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)
  let key: string | Buffer = `GOOG4${KEYS.secretAccessKey}`
  for (const part of scope.split('/')) key = mac(key, part).digest()
  const signature = mac(key, `GOOG4-HMAC-SHA256\n${time}\n${scope}\n${digest}`).digest('hex')
  const credential = `${KEYS.accessKeyId}/${scope}`
  const parts = `Credential=${credential}, SignedHeaders=${signed}, Signature=${signature}`
  return `GOOG4-HMAC-SHA256 ${parts}`
}
