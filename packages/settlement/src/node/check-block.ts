import type { BlockRequest } from '@affine/blocks'
import { verifyReady } from '@affine/chain/account'
import { blake3Ready } from '@affine/prng'
import { checkHere } from '../sources.ts'

/**
 * The WebAssembly of hashes and signatures. Blocks come without a pause in which it could start.
 */
const ready = Promise.all([blake3Ready(), verifyReady()])

/**
 * The work of a thread of `openThreads`. The result is JSON, which takes less time to send than
 * objects.
 */
export default async (asked: {
  readonly bytes: Uint8Array
  readonly wanted: BlockRequest
}): Promise<string> => {
  await ready
  return JSON.stringify(await checkHere(asked.bytes, asked.wanted))
}
