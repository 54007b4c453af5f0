import { type Bucket, blockPath, LIMITS, type Sample, writeBlock } from '@affine/blocks'
import type { Account } from '@affine/chain'
import { canonicalize, type Hash, type Json } from '@affine/prng'

/** What all blocks of one lane share. */
export interface LaneHeader {
  readonly genesis: Hash
  readonly netuid: number
  readonly validator: string
  readonly epoch: number
  /** The validator's last seal on chain, or 64 zeros. */
  readonly previous: Hash
  readonly secret: Hash
  /** Integer milliseconds, for people. */
  readonly time: number
}

/**
 * Writes an epoch's samples to `store` as the blocks of a lane and returns their hashes, first to last.
 *
 * The hashes follow from the arguments alone, whatever the order of the samples: after a crash the same lane comes
 * out, so there are never two blocks at one height. A block that is in the store already is left as it is.
 */
export async function writeLane(
  header: LaneHeader,
  samples: readonly Sample[],
  account: Account,
  store: Bucket,
): Promise<readonly Hash[]> {
  const { previous, secret, ...common } = header
  const batches = batched([...samples].sort(byEnvironmentAndIndex))
  const hashes: Hash[] = []
  let prev = previous
  for (const [height, batch] of batches.entries()) {
    const last = height === batches.length - 1
    const { hash, bytes } = await writeBlock({
      ...common,
      height,
      prev,
      ...(last ? { secret } : {}),
      samples: batch,
      sign: account.sign,
    })
    const path = blockPath(hash)
    if ((await store.read(path, LIMITS.blockBytes)) === null) await store.write(path, bytes)
    hashes.push(hash)
    prev = hash
  }
  return hashes
}

function byEnvironmentAndIndex(a: Sample, b: Sample): number {
  return a.env < b.env ? -1 : a.env > b.env ? 1 : a.index - b.index
}

/** Splits samples so that every block keeps within its limits. One batch at least: an empty lane is one block. */
function batched(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  const batches: Sample[][] = [[]]
  let bytes = 0
  for (const sample of samples) {
    const size = new TextEncoder().encode(canonicalize(sample as unknown as Json)).length + 1
    const full = (batches.at(-1)?.length ?? 0) >= LIMITS.blockSamples
    if (full || bytes + size > LIMITS.blockBytes - HEADER_ROOM) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)?.push(sample)
    bytes += size
  }
  return batches
}

/** Bytes kept free in a block for its header and signature lines. */
const HEADER_ROOM = 4096
