import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bucket, blockPath, LIMITS } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import type { State } from '@affine/duel'
import {
  type CheckedLane,
  checkLane,
  isMissing,
  type Sought,
  sourceReader,
} from '@affine/settlement'
import type { OwnLane } from './own-lane.ts'
import type { Peers } from './peers.ts'
import type { Setup } from './setup.ts'

/** A sealed lane, and the validators that may have it, in the order in which to ask. */
export type Audit = Omit<Sought, 'attesters'>

/** The epoch that `state` governs, and the buckets that are read in it. */
interface AuditReading {
  readonly state: State
  readonly peers: Peers
}

/** The sealed lanes of one epoch, as far as they were verified. */
export class SealedLanes {
  readonly #setup: Setup
  readonly #found = new Map<string, CheckedLane>()
  #own: OwnLane | undefined

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** Forgets the blocks of lanes that were never found whole, of any epoch. */
  async clear(): Promise<void> {
    await rm(join(this.#setup.folder, 'incoming'), { recursive: true, force: true })
  }

  /** By validator. */
  get found(): ReadonlyMap<string, CheckedLane> {
    return this.#found
  }

  /** Takes the own lane as it was checked before its seal: `find` publishes it as it is. */
  keep(own: OwnLane): void {
    this.#own = own
  }

  /** Verifies a lane once; what could not be had can be asked for again. */
  async find(audit: Audit, reading: AuditReading): Promise<CheckedLane> {
    const known = this.#found.get(audit.validator)
    if (known !== undefined) return known
    const { store, bucket } = this.#setup
    const own = this.#own?.head === audit.head ? this.#own.lane : undefined
    const lane = own ?? (await checkSealed(this.#setup, audit, reading))
    if (own?.ok) await publish(own.value.blocks, store, bucket)
    if (!isMissing(lane)) this.#found.set(audit.validator, lane)
    return lane
  }
}

/**
 * Verifies a sealed lane and, once it is whole, puts it into the own bucket: from there what it
 * holds already, then from the own store, which has the own lanes, then from the others that may
 * have it. Until then its blocks are in the own folder, where they go from when it is void: nobody
 * makes this bucket keep what counts for nothing.
 */
async function checkSealed(
  { chain, account, bucket, store, folder, check }: Setup,
  { holders, ...sealed }: Audit,
  { state, peers }: AuditReading,
): Promise<CheckedLane> {
  const place = join(folder, 'incoming', `${state.epoch}-${sealed.validator}`)
  const incoming = directoryBucket(place)
  const own = [bucket, store, incoming].map(({ read }) => ({ name: account.hotkey, read }))
  const others = holders
    .filter(({ hotkey }) => hotkey !== account.hotkey)
    .flatMap(({ hotkey, url }) => peers.source(hotkey, url) ?? [])
  const keep = ({ hash }: { readonly hash: string }, bytes: Uint8Array): Promise<void> =>
    incoming.write(blockPath(hash), bytes)
  const sources = [...own, ...others]
  const read = sourceReader({ sources, keep, failed: peers.failed, check })
  const lane = await checkLane({ ...sealed, state, chain, read })
  if (isMissing(lane)) return lane
  if (lane.ok) await publish(lane.value.blocks, incoming, bucket)
  await rm(place, { recursive: true, force: true })
  return lane
}

/** Copies a lane's blocks, the first one first. */
async function publish(
  blocks: readonly string[],
  from: Pick<Bucket, 'read'>,
  to: Bucket,
): Promise<void> {
  for (const hash of [...blocks].reverse()) {
    const bytes = await from.read(blockPath(hash), LIMITS.blockBytes)
    if (bytes === null) throw new Error(`block ${hash} went while its lane was read`)
    await to.write(blockPath(hash), bytes)
  }
}
