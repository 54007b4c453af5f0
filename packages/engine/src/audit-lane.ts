import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bucket, blockPath, LIMITS, openBlock } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import type { Chain } from '@affine/chain'
import { verify } from '@affine/chain/account'
import type { State } from '@affine/duel'
import {
  type BucketReader,
  type CheckedLane,
  checkLane,
  isMissing,
  type LaneSearch,
  listHolders,
  readSeals,
  sealBlock,
  sortForReading,
} from '@affine/settlement'
import type { Setup } from './setup.ts'

/** A sealed lane, and the validators that may have it, in reading order. */
export type Audit = Omit<LaneSearch, 'attesters'>

export interface AuditOptions {
  readonly reader: BucketReader
  /** Aborts reads of other validators' buckets. */
  readonly deadline: AbortSignal
  /** Publishes a valid lane from the bucket `from`. `blocks` are hashes, from the head back. */
  readonly publish: (blocks: readonly string[], from: Pick<Bucket, 'read'>) => Promise<void>
}

/**
 * Returns the lanes sealed in the epoch that `state` governs, by validators from whom one is due.
 * Protocol §6.4.
 */
export async function listAudits(chain: Chain, state: State): Promise<readonly Audit[]> {
  const { epoch, protocol, voters } = state
  const seals = await readSeals(chain, state)
  const holders = listHolders(voters, await chain.snapshot(sealBlock(epoch, protocol)))
  return Object.entries(seals).map(([validator, head]) => ({
    validator,
    head,
    holders: sortForReading(holders, validator),
  }))
}

/**
 * Verifies a sealed lane, and publishes it if it is valid. Each block is read from `bucket`, from
 * `store`, which has the lanes that this validator sampled, from a temporary folder, or from
 * `holders`. The temporary folder has the blocks until the lane is verified, so no one can fill the
 * bucket with a void lane. The folder is deleted at the end, unless a block is missing.
 */
export async function auditLane(
  { chain, account, bucket, store, folder }: Setup,
  state: State,
  { holders, ...sealed }: Audit,
  { reader, deadline, publish }: AuditOptions,
): Promise<CheckedLane> {
  const place = join(incomingFolder(folder), `${state.epoch}-${sealed.validator}`)
  const incoming = directoryBucket(place)
  const read = reader.blocks({
    // Each source has its own name: the reader moves slow or failing sources to the end by name.
    sources: Object.entries({ bucket, store, incoming }).map(([name, { read }]) => ({
      name,
      read,
    })),
    holders: holders.filter(({ hotkey }) => hotkey !== account.hotkey),
    deadline,
    keep: ({ block, bytes }) => putBlock(incoming, block.hash, bytes),
  })
  const lane = await checkLane({ ...sealed, state, chain, read })
  if (isMissing(lane)) return lane
  if (lane.ok) await publish(lane.value.blocks, incoming)
  await rm(place, { recursive: true, force: true })
  return lane
}

/** Returns the folder for blocks of unfinished audits. */
export const incomingFolder = (folder: string): string => join(folder, 'incoming')

/** Copies the blocks of a lane, oldest first. `blocks` are the hashes, from the head back. */
export async function publish(
  blocks: readonly string[],
  from: Pick<Bucket, 'read'>,
  to: Bucket,
): Promise<void> {
  for (const hash of [...blocks].reverse()) {
    const bytes = await from.read(blockPath(hash), LIMITS.blockBytes)
    if (bytes === null) throw new Error(`block ${hash} disappeared while its lane was read`)
    await putBlock(to, hash, bytes)
  }
}

/**
 * Writes a block, unless a valid copy exists: a block that was signed twice has two valid copies.
 */
async function putBlock({ read, write }: Bucket, hash: string, bytes: Uint8Array): Promise<void> {
  const path = blockPath(hash)
  await write(path, bytes).catch(async (error: Error) => {
    const existing = await read(path, LIMITS.blockBytes)
    if (existing === null || !openBlock(existing, { hash, verify }).ok) throw error
  })
}
