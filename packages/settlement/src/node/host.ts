import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Host } from '../open-chain.ts'

/** As of a chain that is served. */
const MOST_BYTES = 268_435_456

/** Node's own clock, randomness and regular files of at most 256 MiB, for `openChain`. */
export const NODE_HOST: Host = {
  random: randomBytes,
  now: () => Date.now(),
  readText,
}

async function readText(path: string): Promise<string> {
  // A pipe would be opened only once someone writes to it, and a device has no end.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (!(await file.stat()).isFile()) throw new Error(`${path} expected to be a regular file`)
  const stream = file.createReadStream({ end: MOST_BYTES, autoClose: false })
  const bytes = Buffer.concat(await stream.toArray())
  if (bytes.length > MOST_BYTES) throw new Error(`${path} expected at most ${MOST_BYTES} bytes`)
  return bytes.toString()
}
