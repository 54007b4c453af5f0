import { blockPath } from '@affine/blocks'
import {
  bucketUrls,
  type CheckedLane,
  checkLane,
  type SealedLane,
  type Source,
  sealBlock,
  sourceReader,
} from '@affine/settlement'
import type { Setup } from '../service/setup.ts'
import type { Peers } from './peers.ts'

/** A lane that was sealed in the epoch that `state` governs. */
type Sealed = Pick<SealedLane, 'state' | 'validator' | 'head'>

/**
 * Verifies a sealed lane and puts it into the own bucket block by block: from there what it holds
 * already, then from the own store, which has the own lanes, then from the validator's bucket, then
 * from anyone else's.
 */
export async function checkSealed(
  setup: Setup,
  peers: Peers,
  sealed: Sealed,
): Promise<CheckedLane> {
  const { chain, account, bucket, store } = setup
  const own = [bucket, store].map(({ read }) => ({ name: account.hotkey, read }))
  const sources = [...own, ...(await peersOf(setup, peers, sealed))]
  const read = sourceReader(sources, ({ hash }, bytes) => bucket.write(blockPath(hash), bytes))
  return checkLane({ ...sealed, chain, read })
}

/** The buckets of others, announced at the seal, the lane's validator's own first. */
async function peersOf(
  { chain, account }: Setup,
  peers: Peers,
  { state, validator }: Sealed,
): Promise<readonly Source[]> {
  const urls = bucketUrls(await chain.snapshot(sealBlock(state.epoch, state.protocol)))
  const hotkeys = new Set([validator, ...urls.keys()])
  hotkeys.delete(account.hotkey)
  return [...hotkeys].flatMap((hotkey) => peers.source(hotkey, urls.get(hotkey) ?? '') ?? [])
}
