import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takesGzip } from './bucket-files.ts'
import { SharedBytes, SharedFile } from './shared-bytes.ts'

/** The network that the page shows, unless its reader names another. */
export interface PageNetwork {
  /** The file of a chain's export; or what a page can open itself: a URL, or a network's name. */
  readonly chain: { readonly file: string } | { readonly name: string }
  /** Names for hotkeys. */
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
/** The same limit as for a chain that is served. */
const MOST_BYTES = 268_435_456

/**
 * Serves the explorer's page and the description of its network, whose buckets are on the same
 * server. `others` answers all other requests; if the page was not built, it answers everything.
 */
export async function explorerPage(
  network: PageNetwork | undefined,
  others: RequestListener,
): Promise<RequestListener> {
  const files = await readPage()
  if (network) files.set('/network.json', shared(Buffer.from(JSON.stringify(networkFile(network)))))
  const file = network && 'file' in network.chain ? network.chain.file : undefined
  const chain = file === undefined ? undefined : new SharedFile(file, MOST_BYTES)
  return async (request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const name = path === '/' ? '/index.html' : path
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isChain = path === '/chain.json' && chain !== undefined
    const found = isChain ? await chain.current() : files.get(name)
    if (!isRead || found === undefined) return others(request, response)
    found.hold(response)
    await send({ name, found }, request, response).catch(() => others(request, response))
  }
}

const shared = (bytes: Buffer): SharedBytes => new SharedBytes(Promise.resolve(bytes))

const networkFile = ({ chain, names }: PageNetwork) => ({
  chain: 'file' in chain ? 'chain.json' : chain.name,
  buckets: './',
  names,
})

/** The page's files by their paths. They are small and are read once; nothing else is ever read. */
async function readPage(): Promise<Map<string, SharedBytes>> {
  const folder = dirname(fileURLToPath(import.meta.resolve('@affine/explorer/index.html')))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
  const files = new Map<string, SharedBytes>()
  for (const path of paths) files.set(path, shared(await readFile(join(folder, path))))
  return files
}

/** Sends a file of the page, zipped if the client accepts it. */
async function send(
  { name, found }: { readonly name: string; readonly found: SharedBytes },
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const zipped = takesGzip(headers['accept-encoding'])
  const bytes = await found.read(zipped)
  const isNamedByHash = name.startsWith('/assets/')
  response.writeHead(200, {
    ...SAFE,
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'cache-control': isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept-Encoding',
    ...(zipped && { 'content-encoding': 'gzip' }),
  })
  if (method === 'HEAD') response.end()
  else response.end(bytes)
}
