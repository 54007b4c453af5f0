import type { BlockRequest } from '@affine/blocks'
import { verifyReady } from '@affine/chain/account'
import { blake3Ready } from '@affine/prng'
import { checkHere } from '../bucket-reader.ts'

/**
 * Waits for the WebAssembly of hashes and signatures, which could not start between blocks, as they
 * come without a pause.
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
