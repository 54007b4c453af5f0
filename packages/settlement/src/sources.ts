import {
  type Block,
  type Bucket,
  blockPath,
  type LaneRequest,
  LIMITS,
  readBlock,
} from '@affine/blocks'
import { verify } from '@affine/chain'
import type { Hash } from '@affine/prng'

/** A bucket that can be read, under the name that faults give it. */
export type Source = Pick<Bucket, 'read'> & { readonly name: string }

/** Opens the bucket that a validator announced; null when it may not be opened. */
export type OpenBucket = (hotkey: string, url: string) => Source | null

/** Is handed every block that was read, and its bytes. */
export type Keep = (block: Block, bytes: Uint8Array) => Promise<void>

/**
 * A reader that takes each block from the first source with an authentic copy, and hands it to
 * `keep`. When no source has one, the fault is `MISSING_BLOCK` and says what each of them had.
 * Protocol §6.4.
 */
export function sourceReader(
  sources: readonly Source[],
  keep: Keep = async () => {},
): LaneRequest['read'] {
  return async (hash) => {
    const tried: string[] = []
    for (const source of sources) {
      const bytes = await readBytes(source, hash)
      if (typeof bytes === 'string') {
        tried.push(`${source.name}: ${bytes}`)
        continue
      }
      const block = readBlock(bytes, { hash, verify })
      if (block.ok) await keep(block.value, bytes)
      // A bad sample was signed by the validator: no other copy is better.
      if (block.ok || block.code === 'BAD_SAMPLE') return block
      tried.push(`${source.name}: ${block.code}`)
    }
    const detail = `nobody has it whole (${tried.join('; ')})`
    return { ok: false, code: 'MISSING_BLOCK', detail }
  }
}

/** A block's bytes, or why there are none. */
async function readBytes({ read }: Source, hash: Hash): Promise<Uint8Array | string> {
  try {
    return (await read(blockPath(hash), LIMITS.blockBytes)) ?? 'not there'
  } catch (error) {
    return (error as Error).message
  }
}
