import type { BlockRequest } from '@affine/blocks'
import { verifyReady } from '@affine/chain/account'
import { blake3Ready } from '@affine/prng'
import { checkHere } from '../sources.ts'

/** Blocks follow one another without a pause, in which it could start. */
const isReady = Promise.all([blake3Ready(), verifyReady()])

/** What a thread of `openThreads` does. In JSON: it is sent in less time than its objects are. */
export default async (asked: {
  readonly bytes: Uint8Array
  readonly wanted: BlockRequest
}): Promise<string> => {
  await isReady
  return JSON.stringify(await checkHere(asked.bytes, asked.wanted))
}
