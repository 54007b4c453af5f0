import { join } from 'node:path'
import {
  type Bucket,
  blockPath,
  commitmentOf,
  type Header,
  LIMITS,
  NO_BLOCK,
  type Sample,
  writeBlock,
} from '@affine/blocks'
import type { Account } from '@affine/chain'
import type { State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import { laneScope } from '@affine/verifier'
import { sampleLane } from './sampling.ts'
import type { Setup } from './setup.ts'

/** As many samples of the largest size as fit in a block, header and signature included. */
const SAMPLES_A_BLOCK = Math.floor((LIMITS.blockBytes - 4096) / (LIMITS.sampleBytes + 1))

/**
 * This validator's lane in the epoch that `state` governs, sampled to its end and written to the store: the hashes of
 * its blocks, first to last. Undefined when the validator is not due. Asked again, it asks no miner twice.
 */
export async function ownLane(setup: Setup, state: State, deadline: AbortSignal): Promise<readonly Hash[] | undefined> {
  const { chain, account, folder, store, agent, now, random, on } = setup
  const { epoch, duel } = state
  const scope = await laneScope(chain, state, account.hotkey)
  if (scope === null || duel === undefined) return undefined
  const secret = await secretOf(epoch, store, random)
  if (commitmentOf({ ...scope, secret }) !== scope.commitment) {
    throw new Error(`the secret of epoch ${epoch} in ${folder} is not the one whose digest is on chain`)
  }
  const journalPath = join(folder, 'journal', `${epoch}.jsonl`)
  const onSample = (sample: Sample, left: number): void => on({ type: 'sample', epoch, sample, left })
  const { samples, time } = await sampleLane({ scope, duel, secret, journalPath, agent, deadline, now, onSample })
  const { genesis, netuid, validator } = scope
  const previous = state.heads[validator] ?? NO_BLOCK
  return writeLane({ genesis, netuid, validator, epoch, previous, secret, time }, samples, account, store)
}

/** What all blocks of one lane share. `previous` is the validator's last seal on chain, or 64 zeros. */
export interface LaneHeader extends Pick<Header, 'genesis' | 'netuid' | 'validator' | 'epoch' | 'time'> {
  readonly previous: Hash
  readonly secret: Hash
}

/**
 * Writes an epoch's samples to `store` as the blocks of a lane and returns their hashes, first to last.
 *
 * The hashes follow from the arguments alone, whatever the order of the samples: after a crash the same lane comes
 * out, so there are never two blocks at one height. A block that is in the store already is left as it is.
 */
export async function writeLane(
  { previous, secret, ...common }: LaneHeader,
  samples: readonly Sample[],
  { sign }: Account,
  store: Bucket,
): Promise<readonly Hash[]> {
  const left = [...samples].sort((a, b) => (a.env < b.env ? -1 : a.env > b.env ? 1 : a.index - b.index))
  const hashes: Hash[] = []
  do {
    const batch = left.splice(0, SAMPLES_A_BLOCK)
    const [height, prev] = [hashes.length, hashes.at(-1) ?? previous]
    const last = left.length === 0 && { secret } // an empty lane is one block too: it reveals the secret
    const { hash, bytes } = await writeBlock({ ...common, height, prev, ...last, samples: batch, sign })
    if ((await store.read(blockPath(hash), LIMITS.blockBytes)) === null) await store.write(blockPath(hash), bytes)
    hashes.push(hash)
  } while (left.length > 0)
  return hashes
}

/** Copies sealed blocks to where everyone may read them. */
export async function publish({ store, bucket }: Setup, hashes: readonly Hash[]): Promise<void> {
  for (const hash of hashes) {
    const bytes = await store.read(blockPath(hash), LIMITS.blockBytes)
    if (bytes === null) throw new Error(`the sealed block ${hash} is gone from the store`)
    await bucket.write(blockPath(hash), bytes)
  }
}

/** The secret of `epoch`, 64 hex digits: made and synced to disk before its digest can go on chain. */
export async function secretOf(epoch: number, store: Bucket, random: (size: number) => Uint8Array): Promise<Hash> {
  const path = `secrets/${epoch}`
  const kept = await store.read(path, 64)
  if (kept !== null) return new TextDecoder().decode(kept)
  const secret = Buffer.from(random(32)).toString('hex')
  await store.write(path, new TextEncoder().encode(secret))
  return secret
}
