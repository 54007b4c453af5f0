import { join } from 'node:path'
import { type Bucket, blockPath, commitmentOf, LIMITS, NO_BLOCK, type Sample } from '@affine/blocks'
import type { State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import { laneScope } from '@affine/verifier'
import { writeLane } from './lane-writer.ts'
import { sampleLane } from './sample-lane.ts'
import type { Setup } from './setup.ts'

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
