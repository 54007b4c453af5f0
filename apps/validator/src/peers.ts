import { blockPath } from '@affine/blocks'
import type { State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import { bucketUrls, checkLane, type LaneVerdict, type Source, sealBlock, sourceReader } from '@affine/verifier'
import type { Setup } from './setup.ts'

/**
 * Verifies another validator's sealed lane and mirrors it block by block: from the own bucket what is there already,
 * then from the validator's, then from anyone else's.
 */
export async function checkPeer(setup: Setup, state: State, validator: string, head: Hash): Promise<LaneVerdict> {
  const { chain, account, bucket, openBucket } = setup
  const urls = bucketUrls(await chain.snapshot(sealBlock(state.epoch, state.protocol)))
  const others = [...urls.keys()].filter((hotkey) => hotkey !== account.hotkey && hotkey !== validator)
  const own: Source = { name: account.hotkey, read: bucket.read }
  const peers = [validator, ...others].map((hotkey) => openBucket(hotkey, urls.get(hotkey) ?? ''))
  const sources = [own, ...peers.filter((source) => source !== null)]
  const read = sourceReader(sources, (hash, bytes) => bucket.write(blockPath(hash), bytes))
  return checkLane(chain, state, validator, head, read)
}

/** 128 bits, one for each hotkey of the duel's weights in ascending order: set for the lanes that are `whole`. */
export function bitmapOf(state: State, whole: ReadonlySet<string>): Uint8Array {
  const bitmap = new Uint8Array(16)
  for (const [i, hotkey] of Object.keys(state.duel?.weights ?? {})
    .sort()
    .entries()) {
    if (whole.has(hotkey)) bitmap[i >> 3] = (bitmap[i >> 3] ?? 0) | (1 << (i & 7))
  }
  return bitmap
}
