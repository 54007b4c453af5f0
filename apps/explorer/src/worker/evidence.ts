import {
  type Block,
  blockPath,
  type Header,
  LIMITS,
  proveSample,
  readBlock,
  type SampleProof,
  type Scope,
} from '@affine/blocks'
import { type Chain, verify } from '@affine/chain'
import type { State } from '@affine/duel'
import {
  askInTurn,
  beaconBlock,
  type CheckedLane,
  laneScope,
  readSeals,
  type Source,
} from '@affine/settlement'
import type { SampleLine } from './epoch-accounts.ts'

/** A sample's proof from the buckets, and the data of the chain that it is checked against. */
export interface ProofEvidence extends SampleProof, Scope {
  /** Secret that the lane's last block reveals. */
  readonly secret: string
  readonly beaconBlock: number
  /** Head of the lane, sealed on chain in time. */
  readonly sealed: string
}

/** Data needed to prove a sample of an epoch. */
export interface ProvenLane {
  readonly chain: Chain
  /** State that governs the epoch. */
  readonly state: State
  readonly validator: string
  readonly checked: CheckedLane
  /** Buckets that may have the blocks of the lane. */
  readonly sources: readonly Source[]
}

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
export async function collectEvidence(
  { block: hash, line }: SampleLine,
  lane: ProvenLane,
): Promise<ProofEvidence> {
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
