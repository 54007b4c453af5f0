import { commitmentOf, judgeSampleProof, type ProofStep } from '@affine/blocks'
import { verify } from '@affine/chain'
import { challengeId, isChallengeId, seedOf } from '@affine/envs'
import {
  type EvidenceRead,
  type ProofEvidence,
  readEvidence,
  type Sentences,
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
    ...linkSteps(evidence),
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
  const { beacon, beaconBlock, specHashes } = evidence
  const { env, index, id, episodes } = read
  const specHash = specHashes[env] ?? ''
  const [, rival] = episodes
  // What stands there may be anything: nobody's game is another challenge.
  const contender = rival && `${rival.miner}`
  const computed = challengeId({ ...evidence, specHash, env, index, contender })
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

/** The sentences of each step of Protocol §6.6. */
const SENTENCES: Readonly<Record<ProofStep['code'], Omit<Sentences, 'holds' | 'values'>>> = {
  form: {
    title: 'Proof → its form',
    says: 'The proof and the header of the block have all members, each within its limits.',
    otherwise: 'A member of the proof or of the header is missing, or is not what it has to be.',
  },
  scope: {
    title: 'Header → chain, subnet, validator, epoch',
    says: 'The block is of the lane of this validator in this epoch.',
    otherwise: 'The block belongs to another chain, subnet, validator or epoch.',
  },
  headers: {
    title: 'Header → block hash',
    says: 'Each block has the hash of the one before it, up to the last of the lane, its head.',
    otherwise: 'A block names another hash for the one before it: the chain of blocks is broken.',
  },
  head: {
    title: 'Head → seal on chain',
    says: 'When lanes closed, this head was on chain: nothing can change now.',
    otherwise: 'When lanes closed, another head was on chain.',
  },
  signature: {
    title: 'Signature',
    says: 'The validator signed the block.',
    otherwise: 'This is not a signature of this block by this hotkey.',
  },
  inclusion: {
    title: 'Line → Merkle root',
    says: "The line is one of those whose root is in the block's header.",
    otherwise: "From this line the path does not lead to the root in the block's header.",
  },
  sample: {
    title: 'Line → sample',
    says: 'The line has the members of a sample, each within its limits.',
    otherwise: 'The line is not a sample.',
  },
}

/** Returns the steps of Protocol §6.6, from the proof to the seal on chain. */
function linkSteps(evidence: ProofEvidence): readonly Step[] {
  const { sample, index, path, header, signature, links, ...scope } = evidence
  const proof = { sample, index, path, header, signature, links }
  const { steps } = judgeSampleProof(proof, { head: evidence.sealed, scope, verify })
  return steps.map(({ code, fault, values }) =>
    stepOf({ ...SENTENCES[code], holds: fault === null, values: textsOf(values) }),
  )
}

function textsOf(values: ProofStep['values']): Step['values'] {
  const entries = Object.entries(values).map(([name, value]) =>
    typeof value === 'object' ? numbered(name, value) : { [name]: `${value}` },
  )
  return Object.assign({}, ...entries)
}
