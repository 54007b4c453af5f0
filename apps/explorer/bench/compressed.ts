import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const page = fileURLToPath(new URL('../dist', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

/** A web server; disposing stops it. */
export interface Served extends Disposable {
  readonly url: string
}

/** Serves the built page compressed, next to a demo's chain and buckets. */
export async function serveCompressed(out: string): Promise<Served> {
  const file = JSON.stringify({ chain: 'chain.json', buckets: './buckets' })
  const read = async (path: string): Promise<Uint8Array | undefined> => {
    if (path === '/network.json') return new TextEncoder().encode(file)
    const place = /^\/(chain\.json$|buckets\/)/.test(path) ? out : page
    return readFile(join(place, path)).catch(() => undefined)
  }
  const server = createServer(async ({ url = '/' }, response) => {
    const path = new URL(url, 'http://page').pathname.replace(/\/$/, '/index.html')
    const bytes = await read(path)
    if (bytes === undefined) return response.writeHead(404).end()
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream')
    response.setHeader('content-encoding', 'gzip')
    const isHashed = path.startsWith('/assets/')
    response.setHeader('cache-control', isHashed ? 'max-age=31536000, immutable' : 'no-cache')
    return response.end(gzipSync(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.dispose]: () => {
      server.close().closeAllConnections()
    },
  }
}
