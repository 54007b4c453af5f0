import {
  type BlockDraft,
  type Bucket,
  blockPath,
  LIMITS,
  type Sample,
  writeBlock,
} from '@affine/blocks'
import type { Hash } from '@affine/prng'

/** As many samples of the largest size as fit in a block, header and signature included. */
const SAMPLES_A_BLOCK = Math.floor((LIMITS.blockBytes - 4096) / (LIMITS.sampleBytes + 1))

/** All blocks of one lane as one. `prev` is the validator's last seal on chain, or `NO_BLOCK`. */
export type LaneDraft = Omit<BlockDraft, 'height'> & { readonly secret: Hash }

/**
 * Writes an epoch's samples to `store` as the blocks of a lane and returns their hashes, first to
 * last. Protocol §6.2.
 *
 * The hashes follow from the draft alone, whatever the order of the samples: after a crash the same
 * lane comes out, so there are never two blocks at one height. A block that is in the store already
 * is left as it is, if it is the same.
 */
export async function writeLane(
  { secret, ...draft }: LaneDraft,
  store: Bucket,
): Promise<readonly Hash[]> {
  const hashes: Hash[] = []
  const shares = inBlocks([...draft.samples].sort(byPlace))
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

/** By environment, then index. */
function byPlace(a: Sample, b: Sample): number {
  if (a.env !== b.env) return a.env < b.env ? -1 : 1
  return a.index - b.index
}

/** The samples of each block. An empty lane is one block too: it reveals the secret. */
function inBlocks(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  const blocks = [samples.slice(0, SAMPLES_A_BLOCK)]
  for (let start = SAMPLES_A_BLOCK; start < samples.length; start += SAMPLES_A_BLOCK) {
    blocks.push(samples.slice(start, start + SAMPLES_A_BLOCK))
  }
  return blocks
}
