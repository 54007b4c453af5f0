import { httpBucket } from '@affine/blocks'
import { type Opened, openChain } from '@affine/settlement'
import type { NetworkFile } from '../network-file.ts'

/** As of a chain that is served. */
const MOST_BYTES = 268_435_456
const PATIENCE_MS = 60_000

/** What an export is called: no name of a network, so that its genesis says which it is. */
const EXPORT = 'an export'

/** Opens the chain of a network. @throws Error when it cannot be read. */
export async function openSubnet({ chain, netuid, firstEpoch }: NetworkFile): Promise<Opened> {
  const isExport = /^https?:/.test(chain) && new URL(chain).pathname.endsWith('.json')
  const text = isExport ? await readExport(chain) : ''
  const host = {
    random: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
    now: () => Date.now(),
    fetch: (...asked: Parameters<typeof fetch>) => fetch(...asked),
    readText: async () => text,
  }
  return openChain(isExport ? EXPORT : chain, host, { netuid, firstEpoch })
}

async function readExport(url: string): Promise<string> {
  const folder = new URL('.', url)
  const name = new URL(url).pathname.slice(folder.pathname.length)
  const fresh: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' })
  const { read } = httpBucket(folder, { fetch: fresh, timeoutMs: PATIENCE_MS })
  const bytes = await read(name, MOST_BYTES)
  if (bytes === null) throw new Error(`there is no chain at ${url}`)
  return new TextDecoder().decode(bytes)
}
