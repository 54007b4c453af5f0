import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { s3Bucket } from '@affine/blocks/s3'
import { NODE_HOST } from '@affine/settlement/host'
import { AwsV4Signer } from 'aws4fetch'
import { bucketSuite } from '../../../packages/blocks/test/bucket-suite.ts'
import { patient } from '../../../packages/blocks/test/patient.ts'
import { listen } from '../../../test/web-server.ts'
import { GOOGLE } from '../src/buckets/backends.ts'
import { type S3Server, serveS3 } from './s3-server.ts'

const KEYS = { accessKeyId: 'GOOG1EXAMPLE', secretAccessKey: 'google/secret+key' }

bucketSuite('a bucket in Google Cloud Storage', async () => {
  const { url: endpoint, close } = await serveGoogle()
  const { now, fetch } = NODE_HOST
  const bucket = s3Bucket({ endpoint, bucket: 'bucket', ...KEYS, dialect: GOOGLE, now, fetch })
  return { bucket: patient(bucket), close }
})

/**
 * Starts a service that follows Google's documentation of the XML API of Cloud Storage with HMAC
 * keys, in front of the emulator of R2: requests must be signed in Google's dialect and have no
 * headers of Amazon, and only `x-goog-if-generation-match` makes a write conditional.
 */
async function serveGoogle() {
  const s3 = await serveS3()
  const server = createServer(async (request, answer) => {
    const body = await buffer(request)
    const [status, code] = problemWith(request, body) ?? [200]
    if (code) return void answer.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    const response = await fetch(...(await toS3(request, body, s3)))
    answer.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()))
  })
  const url = await listen(server, 0)
  const close = async (): Promise<void> => {
    server.close().closeAllConnections()
    await s3[Symbol.asyncDispose]()
  }
  return { url, close }
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

/** Returns the same request for the emulator, in Amazon's dialect. */
async function toS3(
  { method = '', url, headers }: IncomingMessage,
  body: Buffer,
  { variables }: S3Server,
): Promise<[string, RequestInit]> {
  const isCreate = headers['x-goog-if-generation-match'] === '0'
  const signer = new AwsV4Signer({
    url: `${variables.S3_ENDPOINT}${url}`,
    method,
    headers: {
      ...(headers['content-encoding'] && { 'content-encoding': headers['content-encoding'] }),
      ...(isCreate && { 'if-none-match': '*' }),
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
    },
    accessKeyId: variables.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: variables.S3_SECRET_ACCESS_KEY ?? '',
    region: 'auto',
    service: 's3',
  })
  const signed = await signer.sign()
  const sent = method === 'PUT' ? new Uint8Array(body) : null
  return [signed.url.href, { method, headers: signed.headers, body: sent }]
}
