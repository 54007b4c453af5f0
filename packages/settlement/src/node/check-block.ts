import type { AuditedBlock, BlockRequest, Read } from '@affine/blocks'
import { checkHere } from '../sources.ts'

/** What a thread of `openThreads` does. */
export default (asked: {
  readonly bytes: Uint8Array
  readonly wanted: BlockRequest
}): Read<AuditedBlock> | Promise<Read<AuditedBlock>> => checkHere(asked.bytes, asked.wanted)
