import { type Bucket, blockPath, LIMITS, type Sample, writeBlock } from '@affine/blocks'
import type { Account } from '@affine/chain'
import type { Hash } from '@affine/prng'

/** As many samples of the largest size as fit in a block, header and signature included. */
const SAMPLES_A_BLOCK = Math.floor((LIMITS.blockBytes - 4096) / (LIMITS.sampleBytes + 1))

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
  const sorted = [...samples].sort(byEnvironmentAndIndex)
  const count = Math.max(1, Math.ceil(sorted.length / SAMPLES_A_BLOCK)) // an empty lane is one block: it reveals the secret
  const batches = Array.from({ length: count }, (_, i) => sorted.slice(i * SAMPLES_A_BLOCK, (i + 1) * SAMPLES_A_BLOCK))
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
