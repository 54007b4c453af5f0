import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { readRegularFile } from '@affine/chain/file'
import { takesGzip } from './bucket-files.ts'

/** What the page reads, where it does not say so itself. */
export interface PageNetwork {
  /** The file of a chain's export; or what a page can open itself: a URL, or a network's name. */
  readonly chain: { readonly file: string } | { readonly name: string }
  /** How hotkeys are called. */
  readonly names?: Readonly<Record<string, string>>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}
const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "frame-ancestors 'none'",
}
/** As of a chain that is served. */
const MOST_BYTES = 268_435_456

/**
 * Answers for the explorer's page, and its network, whose buckets are beside it; `others` answers
 * for all else. Without a page, as in a checkout that was not built, that is everything.
 */
export async function explorerPage(
  network: PageNetwork | undefined,
  others: RequestListener,
): Promise<RequestListener> {
  const files = await readPage()
  if (network) files.set('/network.json', Buffer.from(JSON.stringify(networkFile(network))))
  return async (request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const name = path === '/' ? '/index.html' : path
    const isChain = path === '/chain.json' && network && 'file' in network.chain
    const bytes = isChain ? await readChain(network.chain) : files.get(name)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || bytes === undefined) return others(request, response)
    send({ name, bytes }, request, response)
  }
}

const networkFile = ({ chain, names }: PageNetwork) => ({
  chain: 'file' in chain ? 'chain.json' : chain.name,
  buckets: './',
  names,
})

/** Anew each time: a chain that goes on may be exported to the same file again. */
async function readChain({ file }: { readonly file: string }): Promise<Buffer | undefined> {
  return readRegularFile(file, MOST_BYTES).then(
    ({ bytes }) => bytes,
    () => undefined,
  )
}

/** The page's files by their paths. They are small, and known: nothing else is ever read. */
async function readPage(): Promise<Map<string, Buffer>> {
  const folder = dirname(fileURLToPath(import.meta.resolve('@affine/explorer/index.html')))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
  const files = new Map<string, Buffer>()
  for (const path of paths) files.set(path, await readFile(join(folder, path)))
  return files
}

/** A file of the page, zipped for who takes that: it is read from far away too. */
function send(
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const zipped = takesGzip(headers['accept-encoding'])
  const isNamedByHash = name.startsWith('/assets/')
  response.writeHead(200, {
    ...SAFE,
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'cache-control': isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept-Encoding',
    ...(zipped && { 'content-encoding': 'gzip' }),
  })
  if (method === 'HEAD') response.end()
  else response.end(zipped ? gzipSync(bytes) : bytes)
}
