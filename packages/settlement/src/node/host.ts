import { randomBytes } from 'node:crypto'
import { readRegularFile } from '@affine/node/disk'
import type { Host } from '../open-chain.ts'

/** Maximum bytes of a text file: as many as the log of a served chain may have. */
const MAX_BYTES = 268_435_456

/**
 * Node's clock and randomness, regular files of at most 256 MiB, and a fetch over `node:http` and
 * `node:https`. The fetch follows no redirect, and no server can crash the process through it.
 */
export const NODE_HOST: Host = {
  random: randomBytes,
  now: () => Date.now(),
  // Loaded on demand, because a command's help does not need the network.
  fetch: async (...args) => (await import('@affine/node/http')).nodeFetch(...args),
  readText: async (path) => (await readRegularFile(path, MAX_BYTES)).bytes.toString(),
}
