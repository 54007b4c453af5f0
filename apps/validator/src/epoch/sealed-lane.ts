import { blockPath } from '@affine/blocks'
import type { State } from '@affine/duel'
import {
  type CheckedLane,
  checkLane,
  isMissing,
  type Sought,
  sourceReader,
} from '@affine/settlement'
import type { Setup } from '../service/setup.ts'
import type { Peers } from './peers.ts'

/** A lane that was sealed, and who may have it, in the order in which to ask. */
export type Audit = Omit<Sought, 'attesters'>

/** The epoch that `state` governs, and the buckets that are read in it. */
interface Reading {
  readonly state: State
  readonly peers: Peers
}

/** The sealed lanes of one epoch, as far as they were verified. */
export class SealedLanes {
  readonly #setup: Setup
  readonly #found = new Map<string, CheckedLane>()

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** By validator. */
  get found(): ReadonlyMap<string, CheckedLane> {
    return this.#found
  }

  /** Verifies a lane once; what could not be had can be asked for again. */
  async find(audit: Audit, reading: Reading): Promise<CheckedLane> {
    const known = this.#found.get(audit.validator)
    const lane = known ?? (await checkSealed(this.#setup, audit, reading))
    if (!isMissing(lane)) this.#found.set(audit.validator, lane)
    return lane
  }
}

/**
 * Verifies a sealed lane and puts it into the own bucket block by block: from there what it holds
 * already, then from the own store, which has the own lanes, then from the others that may have it.
 */
async function checkSealed(
  { chain, account, bucket, store }: Setup,
  { holders, ...sealed }: Audit,
  { state, peers }: Reading,
): Promise<CheckedLane> {
  const own = [bucket, store].map(({ read }) => ({ name: account.hotkey, read }))
  const others = holders
    .filter(({ hotkey }) => hotkey !== account.hotkey)
    .flatMap(({ hotkey, url }) => peers.source(hotkey, url) ?? [])
  const keep = ({ hash }: { readonly hash: string }, bytes: Uint8Array): Promise<void> =>
    bucket.write(blockPath(hash), bytes)
  const read = sourceReader([...own, ...others], keep, peers.failed)
  return checkLane({ ...sealed, state, chain, read })
}
