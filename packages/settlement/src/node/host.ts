import { randomBytes } from 'node:crypto'
import { readRegularFile } from '@affine/node/disk'
import type { Host } from '../open-chain.ts'

/** Maximum bytes of a text file: as many as the log of a served chain may have. */
const MAX_BYTES = 268_435_456

/**
 * Node's clock and randomness, regular files of at most 256 MiB, and a fetch that follows no
 * redirect and through which no server can crash the process.
 */
export const NODE_HOST: Host = {
  random: randomBytes,
  now: () => Date.now(),
  // Loaded on demand, because a command's help does not need the network.
  fetch: async (...args) => (await import('@affine/node/http')).nodeFetch(...args),
  readText: async (path) => (await readRegularFile(path, MAX_BYTES)).bytes.toString(),
}
