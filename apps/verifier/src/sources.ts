import { join } from 'node:path'
import { type Block, type BlockFault, type Bucket, blockPath, httpBucket, LIMITS, readBlock } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { verify } from '@affine/chain'
import type { Hash, Result } from '@affine/prng'

/** A bucket that can be read, under the name that faults give it. */
export interface Source extends Pick<Bucket, 'read'> {
  readonly name: string
}

const RELATIVE = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/**
 * Opens the bucket that a validator announced, or returns null when it may not be opened: only `https` addresses,
 * and plain names below `base`, the folder or URL that the caller named. A hostile announcement cannot reach elsewhere.
 */
export function openBucket(name: string, url: string, base: string | undefined): Source | null {
  if (RELATIVE.test(url)) {
    if (base === undefined) return null
    const web = /^https?:\/\//.test(base)
    return { name, ...(web ? httpBucket(`${base.replace(/\/$/, '')}/${url}`) : directoryBucket(join(base, url))) }
  }
  return url.startsWith('https://') && URL.canParse(url) ? { name, ...httpBucket(url) } : null
}

/** What a source did wrong, without its changing what is true: another copy of the block may be sound. */
export type SourceFault = (source: string, code: BlockFault, detail: string) => void

/**
 * A reader that takes each block from the first source with an authentic copy, and hands its bytes to `keep`.
 * A source that fails or serves other bytes is told to `onFault` and passed over.
 */
export function sourceReader(
  sources: readonly Source[],
  options: { readonly onFault?: SourceFault; readonly keep?: (hash: Hash, bytes: Uint8Array) => Promise<void> } = {},
): (hash: Hash) => Promise<Result<Block, BlockFault>> {
  return async (hash) => {
    for (const source of sources) {
      const bytes = await source.read(blockPath(hash), LIMITS.blockBytes).catch((error: Error) => {
        options.onFault?.(source.name, 'MISSING_BLOCK', error.message)
        return null
      })
      if (bytes === null) continue
      const block = readBlock(bytes, { hash, verify })
      if (block.ok) {
        await options.keep?.(hash, bytes)
        return block
      }
      options.onFault?.(source.name, block.code, block.detail)
    }
    return { ok: false, code: 'MISSING_BLOCK', detail: `block ${hash}: none of ${sources.length} buckets has it whole` }
  }
}
