import type { BlockRequest } from '@affine/blocks'
import { checkHere } from '../sources.ts'

/** What a thread of `openThreads` does. In JSON: it is sent in less time than its objects are. */
export default async (asked: {
  readonly bytes: Uint8Array
  readonly wanted: BlockRequest
}): Promise<string> => JSON.stringify(await checkHere(asked.bytes, asked.wanted))
