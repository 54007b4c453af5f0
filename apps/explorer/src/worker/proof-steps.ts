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

/** One step of a proof. */
export interface Step {
  readonly title: string
  /** The conclusion if the step is valid. */
  readonly sentence: string
  /** Input and result by name. */
  readonly values: ProofStep['values']
  readonly holds: boolean
}

/**
 * Recomputes each step of a sample's proof: secret to challenge, replies to rewards, and line to
 * head on chain. Does not throw if a byte of a sample that was read is changed. A line that is not
 * a sample has no steps about the challenge and the replies.
 */
export function proveSample(evidence: ProofEvidence): readonly Step[] {
  const target = { head: evidence.sealed, scope: evidence, verify }
  const { steps, sample } = judgeSampleProof(toProof(evidence), target)
  const linking = explainSteps(steps)
  if (sample === undefined) return [proveCommitment(evidence), ...linking]
  const playing = [proveId(evidence, sample), ...proveReplies(sample)]
  return [proveCommitment(evidence), ...playing, ...linking]
}

/** Returns the proof without the data of the chain. Protocol §6.6. */
export const toProof = (evidence: SampleProof): SampleProof => {
  const { sample, index, path, header, signature, links } = evidence
  return { sample, index, path, header, signature, links }
}

export const explainSteps = (steps: readonly ProofStep[]): readonly Step[] =>
  steps.map(({ code, fault, values }) => ({
    ...SENTENCES[code],
    holds: fault === null,
    values: { ...values, ...(fault && { problem: fault.detail }) },
  }))

function proveCommitment({ genesis, netuid, validator, epoch, ...rest }: ProofEvidence): Step {
  const { secret, commitment } = rest
  const computed = hashCommitment({ genesis, netuid, validator, epoch, secret })
  return {
    title: 'Secret → commitment',
    holds: computed === commitment,
    sentence: 'The validator committed to its secret before the epoch began.',
    values: { secret, computed, 'on chain': commitment },
  }
}

function proveId(evidence: ProofEvidence, sample: Sample): Step {
  const { beacon, beaconBlock, specHashes } = evidence
  const { env, index, challengeId: recorded } = sample
  const contender = 'miner' in sample ? undefined : sample.contender.miner
  const specHash = specHashes[env] ?? ''
  const computed = challengeId({ ...evidence, specHash, env, index, contender })
  const seed = deriveSeed(recorded).toString(16).padStart(32, '0')
  const place = `${env} #${index}${contender === undefined ? '' : ` of ${contender}`}`
  return {
    title: 'Secret and beacon → challenge id → seed',
    holds: computed === recorded,
    sentence:
      `The challenge follows from both, and no one knew both before block ${beaconBlock}. ` +
      'Everything random in the episode follows from the 128 bits of the seed.',
    values: { beacon, place, computed, recorded, seed },
  }
}

/** Replays each episode with the validators' code and compares the reward. */
function proveReplies(sample: Sample): readonly Step[] {
  const replayed = replaySample(sample)
  return listEpisodes(sample).map(({ messages, reward, fault }, i) => {
    const played = typeof replayed === 'string' ? undefined : replayed[i]
    return {
      title: `Replies of the ${'miner' in sample ? 'miner' : SIDES[i]} → reward`,
      holds: played?.reward === reward && played.fault === (fault !== undefined),
      sentence: 'The validators’ code replays the replies and obtains the same reward.',
      values: {
        replies: listReplies(messages),
        replayed: played ? `reward ${played.reward}` : `${replayed}`,
        recorded: `reward ${reward}${fault === undefined ? '' : `, ${fault}`}`,
      },
    }
  })
}

/** Returns the result of each episode, or the reason that the sample cannot be replayed. */
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
const SENTENCES: Readonly<Record<ProofStep['code'], Pick<Step, 'title' | 'sentence'>>> = {
  form: {
    title: 'Proof → its form',
    sentence: 'The proof and the header of the block have all members, each within its limits.',
  },
  scope: {
    title: 'Header → chain, subnet, validator, epoch',
    sentence: 'The block belongs to the lane of this validator in this epoch.',
  },
  headers: {
    title: 'Header → block hash',
    sentence: 'Each block has the hash of the one before it, up to the last of the lane, its head.',
  },
  head: {
    title: 'Head → seal on chain',
    sentence: 'This head was sealed in time: the lane can no longer change.',
  },
  signature: {
    title: 'Signature',
    sentence: 'The validator signed the block.',
  },
  inclusion: {
    title: 'Line → Merkle root',
    sentence: "The line is one of the lines under the root in the block's header.",
  },
  sample: {
    title: 'Line → sample',
    sentence: 'The line has the members of a sample, each within its limits.',
  },
}
