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
  holdersOf,
  inReadingOrder,
  isMissing,
  readSeals,
  type Sought,
  sealBlock,
} from '@affine/settlement'
import type { Setup } from './setup.ts'

/** A sealed lane, and the validators that may have it, in the order in which to ask. */
export type Audit = Omit<Sought, 'attesters'>

/** How the lanes are read of the epoch that `state` governs. */
export interface AuditOptions {
  readonly state: State
  readonly reader: BucketReader
  /** Ends what is read from others. */
  readonly deadline: AbortSignal
  /** Puts a whole lane's blocks, from the head back, where everyone can read them. */
  readonly publish: (blocks: readonly string[], from: Pick<Bucket, 'read'>) => Promise<void>
}

/** Every lane that a due validator sealed. Protocol §6.4. */
export async function lanesToAudit(chain: Chain, state: State): Promise<readonly Audit[]> {
  const { epoch, protocol, voters } = state
  const seals = await readSeals(chain, state)
  const holders = holdersOf(voters, await chain.snapshot(sealBlock(epoch, protocol)))
  return Object.entries(seals).map(([validator, head]) => ({
    validator,
    head,
    holders: inReadingOrder(holders, validator),
  }))
}

/**
 * Verifies a sealed lane, and publishes it if it is whole. Each block is
 * looked for in that bucket, then in the store, which has this validator's own lanes, then in the
 * buckets of the others that may have it. Meanwhile the blocks are in a folder of their own, which
 * is deleted at the end: nobody can fill this bucket with a lane that is void.
 */
export async function auditLane(
  { chain, account, bucket, store, folder }: Setup,
  { holders, ...sealed }: Audit,
  { state, reader, deadline, publish }: AuditOptions,
): Promise<CheckedLane> {
  const place = join(incomingFolder(folder), `${state.epoch}-${sealed.validator}`)
  const incoming = directoryBucket(place)
  const read = reader.blocks({
    // By names of their own: one that is slow or fails has only itself asked last.
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

/** The folder for blocks of lanes, of any epoch, whose audit has not ended. */
export const incomingFolder = (folder: string): string => join(folder, 'incoming')

/** Copies a lane's blocks in their order. `blocks` are their hashes, from the head back. */
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

/** Writes a block, where none of its hash is: one signed twice has two copies that hold. */
async function putBlock({ read, write }: Bucket, hash: string, bytes: Uint8Array): Promise<void> {
  const path = blockPath(hash)
  await write(path, bytes).catch(async (error: Error) => {
    const there = await read(path, LIMITS.blockBytes)
    if (there === null || !openBlock(there, { hash, verify }).ok) throw error
  })
}
