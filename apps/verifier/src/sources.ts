import { join } from 'node:path'
import {
  type BlockFault,
  type Bucket,
  blockPath,
  httpBucket,
  type LaneRequest,
  LIMITS,
  readBlock,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { verify } from '@affine/chain'
import type { Hash } from '@affine/prng'

/** A bucket that can be read, under the name that faults give it. */
export interface Source extends Pick<Bucket, 'read'> {
  readonly name: string
}

/**
 * Opens the bucket that a validator announced, or returns null when it may not be opened: only plain names below `base`,
 * the folder or URL that the reader chose, so that an announcement cannot reach elsewhere.
 */
export function openBucket(hotkey: string, name: string, base: string | undefined): Source | null {
  if (base === undefined || !/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) return null
  const web = /^https?:\/\//.test(base)
  return {
    name: hotkey,
    ...(web ? httpBucket(`${base.replace(/\/$/, '')}/${name}`) : directoryBucket(join(base, name))),
  }
}

/** What a source did wrong, without its changing what is true: another copy of the block may be sound. */
type SourceFault = (source: string, code: BlockFault, detail: string) => void

interface ReaderOptions {
  readonly onFault?: SourceFault
  readonly keep?: (hash: Hash, bytes: Uint8Array) => Promise<void>
}

/** Faults of a block that its validator signed: no other copy is better. */
const SIGNED: ReadonlySet<string> = new Set<BlockFault>(['BAD_SAMPLE', 'BAD_CHALLENGE_ID'])

/**
 * A reader that takes each block from the first source with an authentic copy, and hands its bytes to `keep`.
 * A source that fails or serves other bytes is told to `onFault` and passed over; `MISSING_BLOCK` when none is left.
 */
export function sourceReader(sources: readonly Source[], options: ReaderOptions = {}): LaneRequest['read'] {
  return async (hash) => {
    for (const source of sources) {
      const bytes = await source.read(blockPath(hash), LIMITS.blockBytes).catch((error: Error) => {
        options.onFault?.(source.name, 'MISSING_BLOCK', error.message)
        return null
      })
      if (bytes === null) continue
      const block = readBlock(bytes, { hash, verify })
      if (block.ok) await options.keep?.(hash, bytes)
      if (block.ok || SIGNED.has(block.code)) return block
      options.onFault?.(source.name, block.code, `block ${hash}: ${block.detail}`)
    }
    return { ok: false, code: 'MISSING_BLOCK', detail: `none of ${sources.length} buckets has it whole` }
  }
}
