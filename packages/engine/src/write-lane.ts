import {
  type BlockDraft,
  type Bucket,
  blockPath,
  isRoomFor,
  type Sample,
  writeBlock,
} from '@affine/blocks'
import { canonicalize, type Hash, type Json } from '@affine/prng'

/** All blocks of one lane as one. `prev` is the validator's last seal on chain, or `NO_BLOCK`. */
export type LaneDraft = Omit<BlockDraft, 'height'> & { readonly secret: Hash }

/**
 * Writes an epoch's samples, in their order, to `store` as the blocks of a lane and returns their
 * hashes, first to last. Protocol §6.2.
 *
 * The hashes follow from the draft alone: after a crash the same lane comes out, so there are never
 * two blocks at one height. A block that is in the store already is left as it is, if it is the
 * same.
 */
export async function writeLane(
  { secret, ...draft }: LaneDraft,
  store: Bucket,
): Promise<readonly Hash[]> {
  const hashes: Hash[] = []
  const shares = inBlocks(draft.samples)
  for (const [height, samples] of shares.entries()) {
    const prev = hashes.at(-1) ?? draft.prev
    const isLast = height === shares.length - 1
    const block = { ...draft, height, prev, samples, ...(isLast && { secret }) }
    const { hash, bytes } = await writeBlock(block)
    await store.write(blockPath(hash), bytes)
    hashes.push(hash)
  }
  return hashes
}

/** The samples of each block, full but for the last. A lane of none is a block too. */
function inBlocks(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  let block: Sample[] = []
  let bytes = 0
  const blocks = [block]
  for (const sample of samples) {
    const line = Buffer.byteLength(canonicalize(sample as unknown as Json)) + 1
    if (!isRoomFor(block.length + 1, bytes + line)) {
      block = []
      bytes = 0
      blocks.push(block)
    }
    block.push(sample)
    bytes += line
  }
  return blocks
}
