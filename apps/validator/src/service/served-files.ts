import { open, readdir, readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { isBucketPath, LIMITS, mediaType } from '@affine/blocks'
import { openFile } from '@affine/blocks/directory'
import type { ChainOptions } from '@affine/terminal'
import { getMimeType } from 'hono/utils/mime'

/** The network that the page opens by default. `netuid` and `firstEpoch` default to its own. */
export interface PageNetwork extends Pick<ChainOptions, 'netuid' | 'firstEpoch'> {
  /** The file of a chain's export; or a URL or a network's name, which the page opens itself. */
  readonly chain: { readonly file: string } | { readonly name: string }
  readonly names?: Readonly<Record<string, string>>
}

interface PublicFile {
  readonly open: () => ReturnType<typeof openFile>
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** Matches the path of a file in a bucket, with or without the bucket's name as a prefix. */
const ADDRESS = /^\/((?:[\w-][\w.-]*\/)?(v1\/.+))$/
const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' }
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** Maximum time to send a file of a bucket: readers of buckets wait no longer for a response. */
const BUCKET_MS = 30_000
/** Maximum time to send any other file: enough for `chain.json` with one day of blocks. */
const PAGE_MS = 300_000
/** Maximum size of a file outside buckets. Readers of a served chain accept no more either. */
const MAX_BYTES = 268_435_456
/** Maximum number of open files. Each has a descriptor and a buffer until it is sent. */
const MAX_FILES = 128
/** Buffer of an open file. */
const READ_BYTES = 32_768
const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "frame-ancestors 'none'",
  'cache-control': 'no-cache',
}

/** The folder of the explorer's page. */
const PAGE = dirname(fileURLToPath(import.meta.resolve('@affine/explorer/index.html')))

/**
 * Returns a listener that responds to GET and HEAD for the files of buckets. `folder` may be a
 * bucket, or contain buckets, whose names then begin the path. The listener lists no folder,
 * follows no link, and serves no other file in the folder. It reads a file as fast as its client
 * reads the response.
 */
export function serveBucketFiles(folder: string): RequestListener {
  return createListener(({ url = '' }) => {
    const [, path = '', inBucket = ''] = ADDRESS.exec(url) ?? []
    if (!isBucketPath(inBucket)) return undefined
    const headers = { ...ANY_ORIGIN, 'content-type': mediaType(path), 'cache-control': IMMUTABLE }
    const open: PublicFile['open'] = () => openFile(folder, path)
    return { open, headers, maxBytes: LIMITS.blockBytes, timeoutMs: BUCKET_MS }
  })
}

/**
 * Returns a listener that serves the explorer's page; `network.json`, which describes the page's
 * network; and `chain.json`, if the chain is a file. It handles all other paths as
 * `serveBucketFiles` does for the buckets in `folder`.
 */
export async function servePageAndBuckets(
  folder: string,
  { chain, ...network }: PageNetwork,
): Promise<RequestListener> {
  const files = await listPageFiles()
  if ('file' in chain) files.set('/chain.json', describePublicFile(chain.file))
  const where = 'file' in chain ? 'chain.json' : chain.name
  const last = await readLast(where)
  const about = JSON.stringify({ chain: where, buckets: './', last, ...network })
  // Buckets have their own limit of open files: their slow readers cannot block the page.
  const page = createListener(({ url }) => files.get(stripQuery(url)))
  const buckets = serveBucketFiles(folder)
  return (request, response) => {
    const path = stripQuery(request.url)
    if (path === '/network.json' && isRead(request))
      response.writeHead(200, { ...SAFE, 'content-type': 'application/json' }).end(about)
    else if (files.has(path)) page(request, response)
    else buckets(request, response)
  }
}

/** Returns `last`, a number of epochs, of the page's `network.json`, if that names `chain`. */
async function readLast(chain: string): Promise<number | undefined> {
  const site = await readFile(join(PAGE, 'network.json'), 'utf8').catch(() => '{}')
  const own = JSON.parse(site)
  return own.chain === chain ? own.last : undefined
}

const stripQuery = (url = ''): string => url.replace(/\?.*/s, '')

/**
 * Returns the files of the page by their paths, or none if the page was not built. A request can
 * read no other file.
 */
async function listPageFiles(): Promise<Map<string, PublicFile>> {
  const entries = await readdir(PAGE, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, PublicFile>()
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(PAGE.length)
    const isNamedByHash = path.startsWith('/assets/')
    const pageFile = describePublicFile(file, isNamedByHash ? { 'cache-control': IMMUTABLE } : {})
    files.set(path === '/index.html' ? '/' : path, pageFile)
  }
  return files
}

function describePublicFile(file: string, headers: PublicFile['headers'] = {}): PublicFile {
  const type = getMimeType(file) ?? 'application/octet-stream'
  return {
    open: () => openNamedFile(file),
    headers: { ...SAFE, 'content-type': type, ...headers },
    maxBytes: MAX_BYTES,
    timeoutMs: PAGE_MS,
  }
}

/** Opens a file that the user or this program named. It may be a link. */
async function openNamedFile(file: string): ReturnType<typeof openFile> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return 'missing'
  if (!found.isFile()) return 'not-a-file' // opening a pipe would block
  const handle = await open(file)
  return { handle, stats: await handle.stat() }
}

/**
 * Returns a listener that responds to GET and HEAD with the file that `find` returns. Limits the
 * number of concurrent responses.
 */
function createListener(
  find: (request: IncomingMessage) => PublicFile | undefined,
): RequestListener {
  let count = 0
  return async (request, response) => {
    const file = isRead(request) ? find(request) : undefined
    if (file === undefined) return refuse(response, 404, 'not found')
    if (count >= MAX_FILES) return refuse(response, 503, 'busy: retry later')
    count += 1
    await answer(file, request, response)
    count -= 1
  }
}

const isRead = ({ method = '' }: IncomingMessage): boolean => ['GET', 'HEAD'].includes(method)

/** Sends an error. Caches must not store errors, because they may be temporary. */
function refuse(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store', ...ANY_ORIGIN }
  response.writeHead(status, headers).end(`${text}\n`)
}

/** Sends a file or an error. Resolves when it is sent, or when the client has disconnected. */
async function answer(file: PublicFile, request: IncomingMessage, response: ServerResponse) {
  try {
    const found = await file.open()
    if (found === 'missing') return refuse(response, 404, 'not found')
    // Readers of the folder itself see an entry, so a 404 would be wrong.
    if (found === 'not-a-file') return refuse(response, 403, 'not a file')
    await using _handle = found.handle
    if (found.stats.size > file.maxBytes) return refuse(response, 403, 'too large')
    const { size } = found.stats
    response.writeHead(200, { ...file.headers, 'content-length': size })
    if (request.method === 'HEAD' || size === 0) return void response.end()
    const bytes = found.handle.createReadStream({ end: size - 1, highWaterMark: READ_BYTES })
    await pipeline(bytes, response, { signal: AbortSignal.timeout(file.timeoutMs) })
  } catch (error) {
    // Once the headers are sent, no error can be reported: the connection was closed.
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (!response.headersSent) refuse(response, 500, `cannot read the file: ${code}`)
  }
}
