import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Host } from '../open-chain.ts'

/** Node's own clock, randomness and files, for `openChain`. */
export const NODE_HOST: Host = {
  random: randomBytes,
  now: () => Date.now(),
  readText: (path) => readFile(path, 'utf8'),
}
