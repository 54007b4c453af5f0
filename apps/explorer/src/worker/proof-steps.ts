import { blockHash, commitmentOf, headAfter, merkleRoot, verifyInclusion } from '@affine/blocks'
import { verify } from '@affine/chain'
import { challengeId, isChallengeId, seedOf } from '@affine/envs'
import type { ProofEvidence, Step } from './proof-evidence.ts'
import { bytesOf, type EvidenceRead, hexOf, readEvidence, textBytes } from './proof-evidence.ts'
import { numbered, replaySteps } from './replay-steps.ts'

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
  const holds = computed === commitment
  return {
    title: 'Secret → commitment',
    says: holds
      ? 'The validator had committed to its secret before the epoch began.'
      : 'The validator committed to another secret before the epoch began.',
    values: { secret, computed, 'on chain': commitment },
    holds,
  }
}

function idStep(evidence: ProofEvidence, read: EvidenceRead): Step {
  const { beacon, beaconBlock } = evidence
  const { env, index, id, episodes } = read
  const [, rival] = episodes
  // What stands there may be anything: nobody's game is another challenge.
  const contender = rival && `${rival.miner}`
  const computed = challengeId({ ...evidence, env, index, contender })
  const place = `${env} #${index}${contender === undefined ? '' : ` of ${contender}`}`
  const holds = computed === id
  return {
    title: 'Secret and beacon → challenge id',
    says: holds
      ? `The challenge follows from both, and nobody knew both before block ${beaconBlock}.`
      : 'Another challenge follows from these two: somebody may have chosen this one.',
    values: { beacon, place, computed, recorded: id },
    holds,
  }
}

function seedStep({ id }: EvidenceRead): Step {
  const isId = isChallengeId(id)
  const seed = isId ? seedOf(id).toString(16).padStart(32, '0') : 'not an id'
  return {
    title: 'Id → seed',
    says: isId
      ? 'Everything random in the episode follows from these 128 bits.'
      : 'This is no challenge id, so nothing follows from it.',
    values: { id, seed },
    holds: isId,
  }
}

function merkleStep({ sample, index, path }: ProofEvidence, { count, root }: EvidenceRead): Step {
  const leaf = textBytes(sample)
  const proof = path.map(bytesOf)
  const holds = verifyInclusion({ leaf, index, size: count, proof, root: bytesOf(root) })
  return {
    title: 'Line → Merkle root',
    says: holds
      ? `This is line ${index} of the ${count} whose root is in the block's header.`
      : `From this line the path does not lead to the root in the block's header.`,
    values: { leaf: hexOf(merkleRoot([leaf])), ...numbered('sibling', path), root },
    holds,
  }
}

function hashStep({ header, links }: ProofEvidence): Step {
  const hashes = [header, ...links].map((line) => blockHash(textBytes(line)))
  const holds = headAfter(hashes[0] ?? '', links) !== null
  return {
    title: 'Header → block hash → head',
    says: holds
      ? 'Each block has the hash of the one before it, up to the last of the lane, its head.'
      : 'A block names another hash for the one before it: the chain of blocks is broken.',
    values: { 'this block': hashes[0] ?? '', ...numbered('block after', hashes.slice(1)) },
    holds,
  }
}

function signatureStep({ header, signature, validator }: ProofEvidence): Step {
  const hash = blockHash(textBytes(header))
  const holds = verify(bytesOf(hash), bytesOf(signature), validator)
  return {
    title: 'Signature',
    says: holds
      ? 'The validator signed the block.'
      : 'This is no signature of this block by this hotkey.',
    values: { 'block hash': hash, hotkey: validator, signature },
    holds,
  }
}

function sealStep({ header, links, sealed, sealBlock }: ProofEvidence): Step {
  const head = blockHash(textBytes(links.at(-1) ?? header))
  const holds = head === sealed
  return {
    title: 'Head → seal on chain',
    says: holds
      ? `At block ${sealBlock} lanes closed, with this head on chain: nothing can change now.`
      : `At block ${sealBlock} lanes closed, with another head on chain.`,
    values: { head, 'on chain': sealed },
    holds,
  }
}
