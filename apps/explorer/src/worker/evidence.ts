import { type Block, blockPath, type Header, LIMITS, proveSample, readBlock } from '@affine/blocks'
import { verify } from '@affine/chain'
import { askInTurn, beaconBlock, laneScope, readSeals, type Source } from '@affine/settlement'
import type { SampleLine } from './epoch-accounts.ts'
import type { SubnetReader } from './reader.ts'

/** Data of a sample's proof: the proof from the buckets, the rest from the chain. */
export type ProofEvidence = Awaited<ReturnType<typeof collectEvidence>>

/** Data needed to prove a sample of an epoch. */
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
 * Collects the data of a sample's proof from buckets and chain.
 * @throws Error if the sample's lane is void, or a block of the lane is unavailable.
 */
export async function collectEvidence({ block: hash, line }: SampleLine, lane: ProvenLane) {
  const { chain, state, validator, checked, sources } = lane
  const scope = await laneScope(chain, state, validator)
  if (!checked.ok || scope === null) throw new Error('the lane is void, so nothing can be proved')
  const block = await rereadBlock(hash, sources)
  // The list begins with the lane's head.
  const { blocks } = checked.value
  const after: Header[] = []
  for (const later of blocks.slice(0, blocks.indexOf(hash)).reverse())
    after.push((await rereadBlock(later, sources)).header)
  const head = after.at(-1) ?? block.header
  const seals = await readSeals(chain, state)
  return {
    ...proveSample(block, line, after),
    ...scope,
    secret: head.secret ?? '',
    beaconBlock: beaconBlock(state.epoch, state.protocol),
    sealed: seals[validator] ?? '',
  }
}
