import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { Miniflare } from 'miniflare'
import { listen } from '../../../test/web-server.ts'

/** An operator's bucket: the settings that name it, and the URL of its server. */
export interface S3Server extends AsyncDisposable {
  readonly variables: Readonly<Record<string, string>>
  readonly url: string
}

interface Oddities {
  /** Whether the service ignores If-None-Match. */
  readonly overwrites?: boolean
  /** Number of first writes that the service refuses because it is busy. */
  readonly refusals?: number
  /** The service's responses to the first reads at the bucket's public URL. */
  readonly late?: { readonly status: number; readonly reads: number }
}

const KEYS = { accessKeyId: 'ID-of-the-key', secretAccessKey: 'the+secret/half=of-the-key' }
/** Serves the content of the bucket verbatim, at all paths outside the service. */
const PUBLIC = `export default {
  async fetch({ url }, { B }) {
    const found = await B.get(new URL(url).pathname.slice(1))
    if (found === null) return new Response('', { status: 404 })
    const headers = { 'content-encoding': found.httpMetadata.contentEncoding }
    return new Response(found.body, { headers, encodeBody: 'manual' })
  }
}`

/** Starts Cloudflare's emulator of R2, with the bucket's public URL. */
export async function serveS3(): Promise<S3Server> {
  const r2Buckets = { B: { id: 'bucket', s3Credentials: KEYS } }
  const emulator = new Miniflare({ cf: false, modules: true, script: PUBLIC, r2Buckets })
  const server = createProxy(await emulator.ready)
  return serveBucket(server, '/cdn-cgi/local/r2/s3', '', () => emulator.dispose())
}

/** Starts a server with S3's API at the path `service`, and the public bucket at the path `open`. */
async function serveBucket(
  server: Server,
  service: string,
  open: string,
  end = async (): Promise<void> => {},
): Promise<S3Server> {
  const url = await listen(server)
  const variables = {
    S3_ENDPOINT: `${url}${service}`,
    S3_BUCKET: 'bucket',
    S3_ACCESS_KEY_ID: KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    AFFINE_BUCKET_URL: `${url}${open}`,
  }
  const dispose = async (): Promise<void> => {
    server.close().closeAllConnections()
    await end()
  }
  return { variables, url, [Symbol.asyncDispose]: dispose }
}

/**
 * Creates a proxy of the emulator that undoes the emulator's second gzip. R2 does not compress a
 * file again whose content encoding is gzip.
 */
function createProxy({ hostname, port }: URL): Server {
  return createServer((incoming, answer) => {
    const { method, headers, url: path = '' } = incoming
    const forwarded = request({ hostname, port, method, headers, path, agent: false })
    forwarded.on('response', async (response: IncomingMessage) => {
      const { statusCode = 0, headers } = response
      const body = await buffer(response)
      const isTwice = path.startsWith('/cdn-cgi') && headers['content-encoding'] === 'gzip'
      const { 'content-length': _, 'transfer-encoding': __, ...others } = headers
      answer.writeHead(statusCode, others).end(isTwice ? gunzipSync(body) : body)
    })
    incoming.pipe(forwarded)
  })
}

/** Starts a faulty service with S3's API, which checks no signatures. */
export function serveOddS3({ refusals = 0, late, overwrites }: Oddities): Promise<S3Server> {
  let [writes, reads] = [0, 0]
  const files = new Map<string, Buffer>()
  const server = createServer(async (incoming, answer) => {
    const { method, headers, url = '' } = incoming
    const path = url.replace(/^\/(s3\/bucket|public)\//, '')
    const body = await buffer(incoming)
    const say = (status: number, code: string) =>
      answer.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    if (method === 'PUT') {
      if (writes++ < refusals) return say(403, 'SlowDown')
      const isRefused = files.has(path) && headers['if-none-match'] === '*' && !overwrites
      if (isRefused) return say(412, 'PreconditionFailed')
      files.set(path, body)
      return answer.end()
    }
    if (late && url.startsWith('/public/') && reads++ < late.reads)
      return answer.writeHead(late.status).end()
    const found = files.get(path)
    if (found === undefined) return say(404, 'NoSuchKey')
    return answer.writeHead(200, { 'content-encoding': 'gzip' }).end(found)
  })
  return serveBucket(server, '/s3', '/public')
}
