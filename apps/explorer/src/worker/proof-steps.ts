import { blockHash, commitmentOf, headAfter, merkleRoot, verifyInclusion } from '@affine/blocks'
import { verify } from '@affine/chain'
import { challengeId, isChallengeId, seedOf } from '@affine/envs'
import { bytesOf, hexOf, textBytes } from './bytes.ts'
import type { ProofEvidence, Step } from './proof.ts'
import { type EvidenceRead, readEvidence } from './read-evidence.ts'
import { replaySteps } from './replay-steps.ts'

/**
 * A sample's proof, each step recomputed: from the secret to the challenge, through the replies to
 * the rewards, and from the line to the head on chain. Does not throw for a sample that was read,
 * nor with any of its bytes changed.
 */
export function proofSteps(evidence: ProofEvidence): readonly Step[] {
  const read = readEvidence(evidence)
  return [
    commitmentStep(evidence),
    idStep(evidence, read),
    seedStep(read),
    ...replaySteps(evidence, read),
    merkleStep(evidence, read),
    hashStep(evidence),
    signatureStep(evidence),
    sealStep(evidence),
  ]
}

function commitmentStep({ genesis, netuid, validator, epoch, ...rest }: ProofEvidence): Step {
  const { secret, commitment } = rest
  const computed = commitmentOf({ genesis, netuid, validator, epoch, secret })
  return {
    title: 'Secret → commitment',
    says: 'The validator had committed to its secret before the epoch began.',
    values: [
      ['secret', secret],
      ['computed', computed],
      ['on chain', commitment],
    ],
    holds: computed === commitment,
  }
}

function idStep(evidence: ProofEvidence, { env, index, id }: EvidenceRead): Step {
  const { beacon, beaconBlock } = evidence
  const computed = challengeId({ ...evidence, env, index })
  return {
    title: 'Secret and beacon → challenge id',
    says: `The challenge follows from both, and nobody knew both before block ${beaconBlock}.`,
    values: [
      ['beacon', beacon],
      ['place', `${env} #${index}`],
      ['computed', computed],
      ['recorded', id],
    ],
    holds: computed === id,
  }
}

function seedStep({ id }: EvidenceRead): Step {
  const isId = isChallengeId(id)
  const seed = isId ? seedOf(id).toString(16).padStart(32, '0') : 'not an id'
  return {
    title: 'Id → seed',
    says: 'Everything random in the episode follows from these 128 bits.',
    values: [
      ['id', id],
      ['seed', seed],
    ],
    holds: isId,
  }
}

function merkleStep({ sample, index, path }: ProofEvidence, { count, root }: EvidenceRead): Step {
  const leaf = textBytes(sample)
  const proof = path.map(bytesOf)
  const proved = { leaf, index, size: count, proof, root: bytesOf(root) }
  return {
    title: 'Line → Merkle root',
    says: `The block's header has the root of ${count} lines, and this is number ${index}.`,
    values: [
      ['leaf', hexOf(merkleRoot([leaf]))],
      ...path.map((hash, i) => [`sibling ${i + 1}`, hash] as const),
      ['root', root],
    ],
    holds: verifyInclusion(proved),
  }
}

function hashStep({ header, links }: ProofEvidence): Step {
  const hashes = [header, ...links].map((line) => blockHash(textBytes(line)))
  return {
    title: 'Header → block hash → head',
    says: 'Each block has the hash of the one before it, up to the last of the lane, its head.',
    values: hashes.map((hash, i) => [i === 0 ? 'this block' : `block after ${i}`, hash]),
    holds: headAfter(hashes[0] ?? '', links) !== null,
  }
}

function signatureStep({ header, signature, validator }: ProofEvidence): Step {
  const hash = blockHash(textBytes(header))
  return {
    title: 'Signature',
    says: 'The validator signed the block.',
    values: [
      ['block hash', hash],
      ['hotkey', validator],
      ['signature', signature],
    ],
    holds: verify(bytesOf(hash), bytesOf(signature), validator),
  }
}

function sealStep({ header, links, sealed, sealBlock }: ProofEvidence): Step {
  const head = blockHash(textBytes(links.at(-1) ?? header))
  return {
    title: 'Head → seal on chain',
    says: `At block ${sealBlock} lanes closed: the head was on chain, and nothing can change now.`,
    values: [
      ['head', head],
      ['sealed', sealed],
    ],
    holds: head === sealed,
  }
}
