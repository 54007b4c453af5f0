import {
  failProof,
  judgeSampleProof,
  type LaneQuotas,
  type ProofVerdict,
  type ReadProof,
  readProof,
} from '@affine/blocks'
import { verify } from '@affine/chain'
import type { Protocol } from '@affine/duel'
import { own } from '@affine/prng'
import { findConstants, type Subnet } from './networks.ts'
import { listSeals, sealBlock } from './on-chain.ts'

/** The verdict on a proof file, and its content if it could be read. */
export interface ProofFileVerdict extends ProofVerdict {
  readonly read?: ReadProof
}

/**
 * Judges the bytes of a proof file. Its header names a validator and an epoch, whose seal is read
 * from the chain. Resolves for any bytes. Protocol §6.6.
 * @throws Error, as a rejection, if the chain cannot be read.
 */
export async function judgeProofFile(
  bytes: Uint8Array,
  { chain, network }: Subnet,
): Promise<ProofFileVerdict> {
  const read = readProof(bytes)
  if (!read.ok) return failProof('form', read)
  const { proof, header } = read.value
  const { validator, epoch } = header
  const protocol = findConstants(network, epoch)
  const block = sealBlock(epoch, protocol)
  const { number: newest } = await chain.head()
  const seals = block <= newest ? listSeals(await chain.snapshot(block), epoch) : {}
  const head = own(seals, validator)
  const { genesis, netuid } = chain
  if (head === undefined) {
    const isOfThisChain = header.genesis === genesis && header.netuid === netuid
    const unsealed = `${validator} has no seal of epoch ${epoch} on this chain, at block ${block}`
    const foreign = `it is of another network: netuid ${header.netuid}, genesis ${header.genesis}`
    const detail = isOfThisChain ? unsealed : foreign
    return { read: read.value, ...failProof('head', { ok: false, code: 'BAD_PROOF', detail }) }
  }
  const scope = { genesis, netuid, validator, epoch, ...greatestPlan(protocol) }
  return { read: read.value, ...judgeSampleProof(proof, { head, scope, verify }) }
}

/** Returns the quotas of the largest possible plan: the lane's quotas are not known. */
function greatestPlan({ envs, duelsMost }: Protocol): LaneQuotas {
  const most = Object.entries(envs).map(([env, { quotaMost }]) => [env, quotaMost])
  const contenders = Array.from({ length: duelsMost }, (_, i) => [i, Object.fromEntries(most)])
  return { champion: '', quotas: Object.fromEntries(contenders) }
}
