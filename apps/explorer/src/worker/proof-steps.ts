import {
  hashCommitment,
  judgeSampleProof,
  listEpisodes,
  type ProofStep,
  type Sample,
  type SampleProof,
} from '@affine/blocks'
import { verify } from '@affine/chain'
import {
  challengeId,
  deriveSeed,
  listReplies,
  make,
  type ReplayedSide,
  registry,
  replay,
  replayGame,
  SIDES,
} from '@affine/envs'
import type { ProofEvidence } from './evidence.ts'

/** One step of a proof: its input, its result, and whether it is valid. */
export interface Step {
  readonly title: string
  /** The conclusion if the step is valid, or the problem. */
  readonly sentence: string
  /** Values by name. */
  readonly values: Readonly<Record<string, string>>
  readonly holds: boolean
}

/** A step, with the problem to state if it is not valid. */
type CheckedStep = Step & { readonly otherwise: string }

/** Returns a step. Its sentence is `otherwise` unless it is valid. */
const createStep = ({ otherwise, ...step }: CheckedStep): Step =>
  step.holds ? step : { ...step, sentence: otherwise }

/**
 * Recomputes each step of a sample's proof: from the secret to the challenge, through the replies
 * to the rewards, and from the line to the head on chain. Does not throw for a sample that was
 * read, or with any byte of it changed. A line that is not a sample has no challenge and no
 * replies.
 */
export function proveSample(evidence: ProofEvidence): readonly Step[] {
  const target = { head: evidence.sealed, scope: evidence, verify }
  const { steps, sample } = judgeSampleProof(toProof(evidence), target)
  const playing = sample === undefined ? [] : proveChallenge(evidence, sample)
  return [proveCommitment(evidence), ...playing, ...explainSteps(steps)]
}

/** Returns the members of a proof, without the data of the chain. Protocol §6.6. */
export const toProof = (evidence: SampleProof): SampleProof => {
  const { sample, index, path, header, signature, links } = evidence
  return { sample, index, path, header, signature, links }
}

/** Explains the steps of Protocol §6.6. */
export const explainSteps = (steps: readonly ProofStep[]): readonly Step[] =>
  steps.map(({ code, fault, values }) =>
    createStep({
      ...SENTENCES[code],
      holds: fault === null,
      values: { ...formatValues(values), ...(fault && { problem: fault.detail }) },
    }),
  )

const proveChallenge = (evidence: ProofEvidence, sample: Sample): readonly Step[] => [
  proveId(evidence, sample),
  describeSeed(sample),
  ...proveReplies(sample),
]

function proveCommitment({ genesis, netuid, validator, epoch, ...rest }: ProofEvidence): Step {
  const { secret, commitment } = rest
  const computed = hashCommitment({ genesis, netuid, validator, epoch, secret })
  return createStep({
    title: 'Secret → commitment',
    holds: computed === commitment,
    sentence: 'The validator committed to its secret before the epoch began.',
    otherwise: 'The validator committed to another secret before the epoch began.',
    values: { secret, computed, 'on chain': commitment },
  })
}

function proveId(evidence: ProofEvidence, sample: Sample): Step {
  const { beacon, beaconBlock, specHashes } = evidence
  const { env, index, challengeId: recorded } = sample
  const contender = 'miner' in sample ? undefined : sample.contender.miner
  const specHash = specHashes[env] ?? ''
  const computed = challengeId({ ...evidence, specHash, env, index, contender })
  const place = `${env} #${index}${contender === undefined ? '' : ` of ${contender}`}`
  return createStep({
    title: 'Secret and beacon → challenge id',
    holds: computed === recorded,
    sentence: `The challenge follows from both, and no one knew both before block ${beaconBlock}.`,
    otherwise: 'A different challenge follows from these two: this one may have been chosen.',
    values: { beacon, place, computed, recorded },
  })
}

const describeSeed = ({ challengeId: id }: Sample): Step => ({
  title: 'Id → seed',
  holds: true,
  sentence: 'Everything random in the episode follows from these 128 bits.',
  values: { id, seed: deriveSeed(id).toString(16).padStart(32, '0') },
})

/** Replays each episode with the validators' code and compares the reward. */
function proveReplies(sample: Sample): readonly Step[] {
  const replayed = replaySample(sample)
  return listEpisodes(sample).map(({ messages, reward, fault }, i) => {
    const played = typeof replayed === 'string' ? undefined : replayed[i]
    return createStep({
      title: `Replies of the ${'miner' in sample ? 'miner' : SIDES[i]} → reward`,
      holds: played?.reward === reward && played.fault === (fault !== undefined),
      sentence: 'The validators’ code replays the replies and obtains the same reward.',
      otherwise: 'The validators’ code replays the replies and obtains another result.',
      values: {
        ...numberValues('reply', listReplies(messages)),
        replayed: played ? `reward ${played.reward}` : `${replayed}`,
        recorded: `reward ${reward}${fault === undefined ? '' : `, ${fault}`}`,
      },
    })
  })
}

/** Replays a sample. Returns the result of each episode, or the reason it cannot be replayed. */
function replaySample(sample: Sample): readonly ReplayedSide[] | string {
  const { env, challengeId: id } = sample
  if (!registry.has(env)) return 'unknown environment'
  const isGame = registry.get(env)?.game !== undefined
  if (isGame === 'miner' in sample) return 'played by a different number of miners'
  if ('miner' in sample) {
    const replayed = replay(make(env), id, sample.messages)
    return replayed.ok ? [replayed.value] : `${replayed.code} ${replayed.detail}`
  }
  const { champion, contender } = sample
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGame(make(env), id, recorded)
  if (!replayed.ok) return `${replayed.code} ${replayed.detail}`
  return SIDES.map((side) => replayed.value[side])
}

/** Sentences of the steps of Protocol §6.6. */
const SENTENCES: Readonly<Record<ProofStep['code'], Omit<CheckedStep, 'holds' | 'values'>>> = {
  form: {
    title: 'Proof → its form',
    sentence: 'The proof and the header of the block have all members, each within its limits.',
    otherwise: 'A member of the proof or of the header is missing or invalid.',
  },
  scope: {
    title: 'Header → chain, subnet, validator, epoch',
    sentence: 'The block belongs to the lane of this validator in this epoch.',
    otherwise: 'The block belongs to another chain, subnet, validator or epoch.',
  },
  headers: {
    title: 'Header → block hash',
    sentence: 'Each block has the hash of the one before it, up to the last of the lane, its head.',
    otherwise: 'A block names another hash for the one before it: the chain of blocks is broken.',
  },
  head: {
    title: 'Head → seal on chain',
    sentence: 'This head was on chain when lanes closed: nothing can change now.',
    otherwise: 'Another head was on chain when lanes closed.',
  },
  signature: {
    title: 'Signature',
    sentence: 'The validator signed the block.',
    otherwise: 'The signature is not of this block and hotkey.',
  },
  inclusion: {
    title: 'Line → Merkle root',
    sentence: "The line is one of the lines under the root in the block's header.",
    otherwise: "From this line the path does not lead to the root in the block's header.",
  },
  sample: {
    title: 'Line → sample',
    sentence: 'The line has the members of a sample, each within its limits.',
    otherwise: 'The line is not a sample.',
  },
}

/** Numbers values, from 1. */
const numberValues = (name: string, values: readonly string[]): Step['values'] =>
  Object.fromEntries(values.map((value, i) => [`${name} ${i + 1}`, value]))

function formatValues(values: ProofStep['values']): Step['values'] {
  const entries = Object.entries(values).map(([name, value]) =>
    typeof value === 'object' ? numberValues(name, value) : { [name]: `${value}` },
  )
  return Object.assign({}, ...entries)
}
