import { blockHash, commitmentOf, headAfter, merkleRoot, verifyInclusion } from '@affine/blocks'
import { verify } from '@affine/chain'
import { challengeId, isChallengeId, seedOf } from '@affine/envs'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  type EvidenceRead,
  type ProofEvidence,
  readEvidence,
  type Step,
  stepOf,
} from './proof-evidence.ts'
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
  return stepOf({
    title: 'Secret → commitment',
    holds: computed === commitment,
    says: 'The validator had committed to its secret before the epoch began.',
    otherwise: 'The validator committed to another secret before the epoch began.',
    values: { secret, computed, 'on chain': commitment },
  })
}

function idStep(evidence: ProofEvidence, read: EvidenceRead): Step {
  const { beacon, beaconBlock } = evidence
  const { env, index, id, episodes } = read
  const [, rival] = episodes
  // What stands there may be anything: nobody's game is another challenge.
  const contender = rival && `${rival.miner}`
  const computed = challengeId({ ...evidence, env, index, contender })
  const place = `${env} #${index}${contender === undefined ? '' : ` of ${contender}`}`
  return stepOf({
    title: 'Secret and beacon → challenge id',
    holds: computed === id,
    says: `The challenge follows from both, and nobody knew both before block ${beaconBlock}.`,
    otherwise: 'Another challenge follows from these two: somebody may have chosen this one.',
    values: { beacon, place, computed, recorded: id },
  })
}

function seedStep({ id }: EvidenceRead): Step {
  const isId = isChallengeId(id)
  const seed = isId ? seedOf(id).toString(16).padStart(32, '0') : 'not an id'
  return stepOf({
    title: 'Id → seed',
    holds: isId,
    says: 'Everything random in the episode follows from these 128 bits.',
    otherwise: 'This is no challenge id, so nothing follows from it.',
    values: { id, seed },
  })
}

function merkleStep({ sample, index, path }: ProofEvidence, { count, root }: EvidenceRead): Step {
  const leaf = utf8ToBytes(sample)
  const proof = path.map(bytesOf)
  return stepOf({
    title: 'Line → Merkle root',
    holds: verifyInclusion({ leaf, index, size: count, proof, root: bytesOf(root) }),
    says: `This is line ${index} of the ${count} whose root is in the block's header.`,
    otherwise: "From this line the path does not lead to the root in the block's header.",
    values: { leaf: bytesToHex(merkleRoot([leaf])), ...numbered('sibling', path), root },
  })
}

function hashStep({ header, links }: ProofEvidence): Step {
  const hash = blockHash(utf8ToBytes(header))
  const after = links.map((line) => blockHash(utf8ToBytes(line)))
  return stepOf({
    title: 'Header → block hash → head',
    holds: headAfter(hash, links) !== null,
    says: 'Each block has the hash of the one before it, up to the last of the lane, its head.',
    otherwise: 'A block names another hash for the one before it: the chain of blocks is broken.',
    values: { 'this block': hash, ...numbered('block after', after) },
  })
}

function signatureStep({ header, signature, validator }: ProofEvidence): Step {
  const hash = blockHash(utf8ToBytes(header))
  return stepOf({
    title: 'Signature',
    holds: verify(bytesOf(hash), bytesOf(signature), validator),
    says: 'The validator signed the block.',
    otherwise: 'This is no signature of this block by this hotkey.',
    values: { 'block hash': hash, hotkey: validator, signature },
  })
}

function sealStep({ header, links, sealed, sealBlock }: ProofEvidence): Step {
  const head = blockHash(utf8ToBytes(links.at(-1) ?? header))
  return stepOf({
    title: 'Head → seal on chain',
    holds: head === sealed,
    says: `At block ${sealBlock} lanes closed, with this head on chain: nothing can change now.`,
    otherwise: `At block ${sealBlock} lanes closed, with another head on chain.`,
    values: { head, 'on chain': sealed },
  })
}

/** The bytes that hex digits write; none for what are no such digits. */
const bytesOf = (hex: string): Uint8Array =>
  /^([0-9a-f]{2})*$/.test(hex) ? hexToBytes(hex) : new Uint8Array()
