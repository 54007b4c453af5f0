import { createHash } from 'node:crypto'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import type {
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
  ServerResponse,
} from 'node:http'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import { isBucketPath, LIMITS, mediaType } from '@affine/blocks'
import { type OpenFile, openFile } from '@affine/blocks/directory'
import { parseAccept } from 'hono/utils/accept'
import { getMimeType } from 'hono/utils/mime'

/** The network that the page shows, unless its reader names another. */
export interface PageNetwork {
  /** The file of a chain's export; or what a page can open itself: a URL, or a network's name. */
  readonly chain: { readonly file: string } | { readonly name: string }
  /** Names for hotkeys. */
  readonly names?: Readonly<Record<string, string>>
  /** The subnet and its first epoch, if the chain does not imply them. */
  readonly netuid?: number | undefined
  readonly firstEpoch?: number | undefined
}

/** A file that is public, and how it is sent. */
interface PublicFile {
  readonly path: string
  readonly open: () => ReturnType<typeof openFile>
  readonly headers: OutgoingHttpHeaders
  /** The most bytes, and the most time for one answer. */
  readonly limit: number
  readonly mostMs: number
}

/** A path in a bucket, with or without the bucket's name in front. */
const ADDRESS = /^\/((?:[\w-][\w.-]*\/)?(v1\/.+))$/
const HOST = /^[\w.:[\]-]+$/
const OPEN = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' }
const FOR_EVER = 'public, max-age=31536000, immutable'
/** Readers of buckets wait as long for one answer. */
const BUCKET_MS = 30_000
/** Enough for a chain of a day over a slow line. */
const PAGE_MS = 300_000
/** The same limit as for a chain that is served. */
const MOST_BYTES = 268_435_456
/** Files open at once: each takes a descriptor and buffers, until its client has read it. */
const MOST_FILES = 128
const GZIP_FROM_BYTES = 1024
/** The memory for each open file: 32 KiB that were read, and 128 KiB for zlib if it is zipped. */
const READ_BYTES = 32_768
const SMALL_GZIP = { windowBits: 14, memLevel: 7 }
/** Sent with a 503: answers usually take less. */
const RETRY_SECONDS = '5'
const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "frame-ancestors 'none'",
  'cache-control': 'no-cache',
}

/**
 * Answers GET and HEAD for the files of the bucket that `folder` is, and of the buckets that it
 * holds, by their names. Lists nothing, follows no link, and serves nothing else in the folder. A
 * file is read as fast as its client reads, and no faster.
 */
export function bucketFiles(folder: string): RequestListener {
  return answering(({ url = '' }) => {
    const [, path = '', inBucket = ''] = ADDRESS.exec(url) ?? []
    if (!isBucketPath(inBucket)) return undefined
    const headers = { ...OPEN, 'content-type': mediaType(path), 'cache-control': FOR_EVER }
    const open: PublicFile['open'] = () => openFile(folder, path)
    return { path, open, headers, limit: LIMITS.blockBytes, mostMs: BUCKET_MS }
  })
}

/**
 * Answers in the same way for the explorer's page, the description of its network, whose buckets
 * are in `folder`, and the file of its chain; for all other paths as `bucketFiles` does.
 */
export async function pageAndBuckets(
  folder: string,
  { chain, ...network }: PageNetwork,
): Promise<RequestListener> {
  const files = await pageFiles()
  if ('file' in chain) files.set('/chain.json', publicFile(chain.file))
  const where = 'file' in chain ? 'chain.json' : chain.name
  const last = await lastOf(where, files.get('/network.json'))
  const about = JSON.stringify({ chain: where, buckets: './', last, ...network })
  const page = answering(({ url }) => files.get(pathIn(url)))
  const buckets = bucketFiles(folder)
  return (request, response) => {
    const path = pathIn(request.url)
    if (path === '/network.json' && isRead(request))
      response.writeHead(200, { ...SAFE, 'content-type': 'application/json' }).end(about)
    else if (files.has(path)) page(request, response)
    else buckets(request, response)
  }
}

/** Returns the `last` in the page's own `network.json` if that file names `chain`. */
async function lastOf(chain: string, own: PublicFile | undefined): Promise<number | undefined> {
  if (own === undefined) return undefined
  const site = JSON.parse(await readFile(own.path, 'utf8'))
  return site.chain === chain ? site.last : undefined
}

const pathIn = (url = ''): string => url.replace(/\?.*/s, '')

/** The files of the page by their paths; none if it was not built. Nothing else is ever read. */
async function pageFiles(): Promise<Map<string, PublicFile>> {
  const folder = dirname(fileURLToPath(import.meta.resolve('@affine/explorer/index.html')))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, PublicFile>()
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(folder.length)
    const isNamedByHash = path.startsWith('/assets/')
    const shown = publicFile(file, isNamedByHash ? { 'cache-control': FOR_EVER } : {})
    files.set(path === '/index.html' ? '/' : path, shown)
  }
  return files
}

function publicFile(file: string, headers: OutgoingHttpHeaders = {}): PublicFile {
  const type = getMimeType(file) ?? 'application/octet-stream'
  return {
    path: file,
    open: () => openNamed(file),
    headers: { ...SAFE, 'content-type': type, ...headers },
    limit: MOST_BYTES,
    mostMs: PAGE_MS,
  }
}

/** Opens a file that the user or this program named; it may be behind a link. */
async function openNamed(file: string): ReturnType<typeof openFile> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return 'missing'
  if (!found.isFile()) return 'not-a-file' // a pipe would be waited for
  const handle = await open(file)
  return { handle, stats: await handle.stat() }
}

/** Answers GET and HEAD with the file that `fileOf` a request is, of a limited number at once. */
function answering(fileOf: (request: IncomingMessage) => PublicFile | undefined): RequestListener {
  let count = 0
  return async (request, response) => {
    const file = isRead(request) ? fileOf(request) : undefined
    if (file === undefined) return refuse(response, 404, 'not found')
    if (count >= MOST_FILES) return refuse(response, 503, 'busy: try again')
    count += 1
    await answer(file, request, response)
    count -= 1
  }
}

const isRead = ({ method = '', headers }: IncomingMessage): boolean =>
  ['GET', 'HEAD'].includes(method) && HOST.test(headers.host ?? '')

/** Caches must not keep refusals, because they may be temporary. */
function refuse(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store', ...OPEN }
  if (status === 503) response.setHeader('retry-after', RETRY_SECONDS)
  response.writeHead(status, headers).end(`${text}\n`)
}

/** Resolves when the answer is sent, or when the client has gone. */
async function answer(file: PublicFile, request: IncomingMessage, response: ServerResponse) {
  try {
    const found = await file.open()
    if (found === 'missing') return refuse(response, 404, 'not found')
    // To its readers in the folder, what is there and is not served is no missing file either.
    if (found === 'not-a-file') return refuse(response, 403, 'not a file')
    await using _handle = found.handle
    if (found.stats.size > file.limit) return refuse(response, 403, 'too large')
    await send(found, file, request, response)
  } catch (error) {
    // After the headers are sent no error can be reported: the connection was closed.
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (!response.headersSent) refuse(response, 500, `cannot read the file: ${code}`)
  }
}

async function send(
  { handle, stats: { size, mtimeMs } }: OpenFile,
  { path, headers, mostMs }: PublicFile,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const tag = `"${createHash('sha1').update(`${path} ${size} ${mtimeMs}`).digest('hex')}"`
  const kept = { ...headers, etag: `W/${tag}`, vary: 'Accept-Encoding' }
  if (request.headers['if-none-match']?.includes(tag)) {
    response.writeHead(304, kept).end()
    return
  }
  const zipped = size >= GZIP_FROM_BYTES && takesGzip(request.headers['accept-encoding'])
  const length = zipped ? { 'content-encoding': 'gzip' } : { 'content-length': size }
  response.writeHead(200, { ...kept, ...length })
  if (request.method === 'HEAD' || size === 0) {
    response.end()
    return
  }
  const bytes = handle.createReadStream({ end: size - 1, highWaterMark: READ_BYTES })
  const coding = zipped ? [createGzip(SMALL_GZIP)] : []
  await pipeline([bytes, ...coding, response], { signal: AbortSignal.timeout(mostMs) })
}

/** Does the sender of this header accept gzip? */
function takesGzip(header = ''): boolean {
  const accepted = parseAccept(header)
  const named = accepted.find(({ type }) => type.toLowerCase() === 'gzip')
  const { q } = named ?? accepted.find(({ type }) => type === '*') ?? { q: 0 }
  return q > 0
}
