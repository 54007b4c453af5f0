import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** Faults of a bucket. */
export type Fault = 'missing' | 'no blocks' | 'no states' | 'slow' | 'lying' | 'no CORS'

/** Files that a bucket with this fault lacks. */
const LOST: Readonly<Partial<Record<Fault, RegExp>>> = {
  missing: /./,
  'no blocks': /blocks/,
  'no states': /states/,
}

/** A web server of another origin with a demo's files and faulty buckets. */
export interface Faulty extends Disposable {
  readonly url: string
}

/** Serves a demo's folder, with faults by the bucket's hotkey. */
export async function serveFaulty(
  out: string,
  faults: Readonly<Record<string, Fault>>,
): Promise<Faulty> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const fault = faults[path.split('/')[2] ?? '']
    if (fault === 'slow') return
    const bytes = await readFile(join(out, path)).catch(() => undefined)
    if (fault !== 'no CORS') response.setHeader('access-control-allow-origin', '*')
    const isLost = fault !== undefined && LOST[fault]?.test(path)
    if (bytes === undefined || isLost) refuse(response)
    else if (fault === 'lying') response.end(flipBit(bytes))
    else response.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]: () => {
      server.close().closeAllConnections()
    },
  }
}

const refuse = (response: ServerResponse): void => {
  response.writeHead(404).end()
}

/** Flips one bit of a byte in the middle. */
function flipBit(bytes: Buffer): Buffer {
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  return bytes
}
