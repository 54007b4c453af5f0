import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { isBucketPath, LIMITS, mediaType, OWNER_PATH } from '@affine/blocks'
import { type OpenFile, openFile } from '@affine/blocks/directory'
import { parseAccept } from 'hono/utils/accept'

/** A path in a bucket, with or without the bucket's name in front. */
const ADDRESS = /^\/((?:[\w-][\w.-]*\/)?(v1\/.+))$/
const HOST = /^[\w.:[\]-]+$/
const OPEN = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' }
const FOR_EVER = 'public, max-age=31536000, immutable'
/** Files open at once: each takes a descriptor and buffers, until its client has read it. */
const MOST_FILES = 128
/** Readers of buckets wait as long for one answer. */
const ANSWER_MS = 30_000
const GZIP_FROM_BYTES = 1024
/** The memory for each open file: 32 KiB that were read, and 128 KiB for zlib if it is zipped. */
const READ_BYTES = 32_768
const SMALL_GZIP = { windowBits: 14, memLevel: 7 }
/** Sent with a 503: answers usually take less. */
const RETRY_SECONDS = '5'

/**
 * Answers GET and HEAD for the files of the bucket that `folder` is, and of the buckets that it
 * holds, by their names. Lists nothing, follows no link, and serves nothing else in the folder. A
 * file is read as fast as its client reads, and no faster.
 */
export function bucketFiles(folder: string): RequestListener {
  let files = 0
  return async (request, response) => {
    const path = pathOf(request)
    if (path === undefined) return refuse(response, 404, 'not found')
    if (files >= MOST_FILES) return refuse(response, 503, 'busy: try again')
    files += 1
    await answer({ folder, path }, request, response)
    files -= 1
  }
}

function pathOf({ method = '', url = '', headers }: IncomingMessage): string | undefined {
  if (!['GET', 'HEAD'].includes(method) || !HOST.test(headers.host ?? '')) return undefined
  const [, path, inBucket = ''] = ADDRESS.exec(url) ?? []
  return isBucketPath(inBucket) ? path : undefined
}

/** Caches must not keep refusals, because they may be temporary. */
function refuse(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store', ...OPEN }
  if (status === 503) response.setHeader('retry-after', RETRY_SECONDS)
  response.writeHead(status, headers).end(`${text}\n`)
}

/** Resolves when the answer is sent, or when the client has gone. */
async function answer(
  { folder, path }: { readonly folder: string; readonly path: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const found = await openFile(folder, path)
    if (found === 'missing') return refuse(response, 404, 'not found')
    // To its readers in the folder, what is there and is not served is no missing file either.
    if (found === 'not a file') return refuse(response, 403, found)
    await using _handle = found.handle
    if (found.stats.size > LIMITS.blockBytes) return refuse(response, 403, 'too large')
    await send(found, path, { request, response })
  } catch (error) {
    // After the headers are sent no error can be reported: the connection was closed.
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (!response.headersSent) refuse(response, 500, `cannot read the file: ${code}`)
  }
}

type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

async function send(
  { handle, stats: { size, mtimeMs } }: OpenFile,
  path: string,
  { request, response }: HttpExchange,
): Promise<void> {
  const tag = `"${createHash('sha1').update(`${path} ${size} ${mtimeMs}`).digest('hex')}"`
  // Alone among them, whose a bucket is may be written anew. Protocol §6.4.
  const keeping = { 'cache-control': path.endsWith(OWNER_PATH) ? 'no-cache' : FOR_EVER }
  const kept = { ...keeping, ...OPEN, etag: `W/${tag}`, vary: 'Accept-Encoding' }
  if (request.headers['if-none-match']?.includes(tag)) {
    response.writeHead(304, kept).end()
    return
  }
  const zipped = size >= GZIP_FROM_BYTES && takesGzip(request.headers['accept-encoding'])
  const length = zipped ? { 'content-encoding': 'gzip' } : { 'content-length': size }
  response.writeHead(200, { ...kept, 'content-type': mediaType(path), ...length })
  if (request.method === 'HEAD' || size === 0) {
    response.end()
    return
  }
  const file = handle.createReadStream({ end: size - 1, highWaterMark: READ_BYTES })
  const coding = zipped ? [createGzip(SMALL_GZIP)] : []
  await pipeline([file, ...coding, response], { signal: AbortSignal.timeout(ANSWER_MS) })
}

/** Does the sender of this header accept gzip? */
export function takesGzip(header = ''): boolean {
  const accepted = parseAccept(header)
  const named = accepted.find(({ type }) => type.toLowerCase() === 'gzip')
  const { q } = named ?? accepted.find(({ type }) => type === '*') ?? { q: 0 }
  return q > 0
}
