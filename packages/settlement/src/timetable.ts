import type { Chain } from '@affine/chain'
import type { Protocol } from '@affine/duel'

/** Where a block lies: its epoch, and how many blocks of that epoch came before it. */
export interface EpochPosition {
  readonly epoch: number
  readonly offset: number
}

/** Where `block` lies. Protocol §5.1. */
export function placeOf(block: number, { epochBlocks }: Protocol): EpochPosition {
  return { epoch: Math.floor(block / epochBlocks), offset: block % epochBlocks }
}

/** The block whose hash is the beacon of `epoch`: its first. Protocol §5.1. */
export function beaconBlock(epoch: number, { epochBlocks }: Protocol): number {
  return epoch * epochBlocks
}

/** The block whose end is the snapshot of `epoch`: the last one before it. Protocol §5.1. */
export function snapshotBlock(epoch: number, rules: Protocol): number {
  return beaconBlock(epoch, rules) - 1
}

/** The block at which the seals of `epoch` are read. Protocol §5.1. */
export function sealBlock(epoch: number, rules: Protocol): number {
  return beaconBlock(epoch, rules) + rules.sealBlock
}

/** The average time of the last 20 blocks up to `block`, in milliseconds; 0 at block 0. */
export async function averageBlockMs(chain: Pick<Chain, 'time'>, block: number): Promise<number> {
  const past = Math.max(0, block - 20)
  if (past === block) return 0
  return ((await chain.time(block)) - (await chain.time(past))) / (block - past)
}
