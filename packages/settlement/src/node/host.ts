import { randomBytes } from 'node:crypto'
import { readRegularFile } from '@affine/chain/file'
import type { Host } from '../open-chain.ts'

/** As of a chain that is served. */
const MOST_BYTES = 268_435_456

/** Node's own clock, randomness and regular files of at most 256 MiB, for `openChain`. */
export const NODE_HOST: Host = {
  random: randomBytes,
  now: () => Date.now(),
  readText: async (path) => (await readRegularFile(path, MOST_BYTES)).bytes.toString(),
}
