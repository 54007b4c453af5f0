import {
  type Block,
  blockPath,
  type Header,
  LIMITS,
  proveSample,
  readBlock,
  type SampleProof,
} from '@affine/blocks'
import { verify } from '@affine/chain'
import { askInTurn, type Source } from '@affine/settlement'
import type { SampleLine } from './epoch-accounts.ts'
import type { SubnetReader } from './reader.ts'

/** A valid lane, and the sources that may have its blocks. */
export type ProvenLane = Awaited<ReturnType<SubnetReader['findLane']>>

/**
 * Reads a block again by its hash, from any of `sources`.
 * @throws Error if no source has it.
 */
export async function rereadBlock(hash: string, sources: readonly Source[]): Promise<Block> {
  const ask = async ({ read }: Source): Promise<Block | null> => {
    const bytes = await read(blockPath(hash), LIMITS.blockBytes).catch(() => null)
    const block = bytes && readBlock(bytes, { hash, verify })
    return block?.ok ? block.value : null
  }
  const found = await askInTurn(sources, { ask })
  if (found === null) throw new Error(`no bucket has block ${hash}`)
  return found
}

/**
 * Proves a sample of a lane from the buckets.
 * @throws Error if a block of the lane is unavailable.
 */
export async function proveLine(
  { block: hash, line }: SampleLine,
  { blocks, sources }: Pick<ProvenLane, 'blocks' | 'sources'>,
): Promise<SampleProof> {
  const block = await rereadBlock(hash, sources)
  const after: Header[] = []
  // `blocks` begins with the lane's head.
  for (const later of blocks.slice(0, blocks.indexOf(hash)).reverse())
    after.push((await rereadBlock(later, sources)).header)
  return proveSample(block, line, after)
}
