import { commitmentOf, judgeSampleProof, type ProofStep, type Sample } from '@affine/blocks'
import { verify } from '@affine/chain'
import { challengeId, seedOf } from '@affine/envs'
import { type ProofEvidence, type Sentences, type Step, stepOf } from './proof-evidence.ts'
import { numbered, replaySteps } from './replay-steps.ts'

/**
 * A sample's proof, each step recomputed: from the secret to the challenge, through the replies to
 * the rewards, and from the line to the head on chain. Does not throw for a sample that was read,
 * nor with any of its bytes changed. A line that is not a sample has no challenge and no replies.
 */
export function proofSteps(evidence: ProofEvidence): readonly Step[] {
  const { sample: line, index, path, header, signature, links, ...scope } = evidence
  const proof = { sample: line, index, path, header, signature, links }
  const { steps, sample } = judgeSampleProof(proof, { head: evidence.sealed, scope, verify })
  const linking = steps.map(({ code, fault, values }) =>
    stepOf({ ...SENTENCES[code], holds: fault === null, values: textsOf(values) }),
  )
  const playing = sample === undefined ? [] : challengeSteps(evidence, sample)
  return [commitmentStep(evidence), ...playing, ...linking]
}

const challengeSteps = (evidence: ProofEvidence, sample: Sample): readonly Step[] => [
  idStep(evidence, sample),
  seedStep(sample),
  ...replaySteps(evidence, sample),
]

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

function idStep(evidence: ProofEvidence, sample: Sample): Step {
  const { beacon, beaconBlock, specHashes } = evidence
  const { env, index, challengeId: recorded } = sample
  const contender = 'miner' in sample ? undefined : sample.contender.miner
  const specHash = specHashes[env] ?? ''
  const computed = challengeId({ ...evidence, specHash, env, index, contender })
  const place = `${env} #${index}${contender === undefined ? '' : ` of ${contender}`}`
  return stepOf({
    title: 'Secret and beacon → challenge id',
    holds: computed === recorded,
    says: `The challenge follows from both, and nobody knew both before block ${beaconBlock}.`,
    otherwise: 'Another challenge follows from these two: somebody may have chosen this one.',
    values: { beacon, place, computed, recorded },
  })
}

const seedStep = ({ challengeId: id }: Sample): Step => ({
  title: 'Id → seed',
  holds: true,
  says: 'Everything random in the episode follows from these 128 bits.',
  values: { id, seed: seedOf(id).toString(16).padStart(32, '0') },
})

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

function textsOf(values: ProofStep['values']): Step['values'] {
  const entries = Object.entries(values).map(([name, value]) =>
    typeof value === 'object' ? numbered(name, value) : { [name]: `${value}` },
  )
  return Object.assign({}, ...entries)
}
