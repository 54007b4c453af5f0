import { challengeVerdict } from '@affine/blocks'
import { make, registry, replay } from '@affine/envs'
import type { ProofEvidence, Step } from './proof.ts'
import type { EvidenceRead, Recorded } from './read-evidence.ts'

/** The steps of a proof in which the environment is asked again. Never throws. */
export function replaySteps(evidence: ProofEvidence, read: EvidenceRead): readonly Step[] {
  const sides = ['champion', 'contender'] as const
  const replayed = sides.map((side) => replayStep(side, evidence[side], read))
  return [promptStep(read), ...replayed, verdictStep(read)]
}

function promptStep({ env, id, champion, contender }: EvidenceRead): Step {
  const prompt = promptOf(env, id)
  const recorded = [champion, contender].map(({ messages }) => messages?.[0]?.content)
  const holds = recorded.every((text) => text === prompt)
  return {
    title: 'Seed → prompt',
    says: holds
      ? 'From this seed the environment makes the prompt that both miners were asked.'
      : 'From this seed the environment makes another prompt than the miners were asked.',
    values: [
      ['drawn now', prompt],
      ['champion was asked', recorded[0] ?? ''],
      ['contender was asked', recorded[1] ?? ''],
    ],
    holds,
  }
}

function promptOf(name: string, challengeId: string): string {
  if (!registry.has(name)) return 'no such environment'
  const env = make(name)
  try {
    env.reset({ options: { challengeId } })
  } catch {
    return 'no such challenge'
  }
  return env.render()
}

function replayStep(side: 'champion' | 'contender', miner: string, read: EvidenceRead): Step {
  const recorded = read[side]
  const { messages = [], reward, fault } = recorded
  const played = registry.has(read.env)
    ? replay(make(read.env), read.id, messages)
    : ({ ok: false, code: 'no such environment', detail: '' } as const)
  const holds =
    recorded.miner === miner &&
    played.ok &&
    played.value.reward === reward &&
    played.value.fault === (fault !== undefined)
  const came = played.ok ? `reward ${played.value.reward}` : `${played.code} ${played.detail}`
  return {
    title: `Replies of the ${side} → reward`,
    says: holds
      ? 'The same code that the validators run plays the replies again, and comes to the reward.'
      : 'Played again by the same code, the replies do not come to what is recorded.',
    values: [
      ...repliesIn(recorded).map((reply, i) => [`reply ${i + 1}`, reply] as const),
      ['replayed', came],
      ['recorded', `reward ${reward}${fault === undefined ? '' : `, ${fault}`}`],
    ],
    holds,
  }
}

function repliesIn({ messages = [] }: Recorded): readonly string[] {
  if (!Array.isArray(messages)) return []
  return messages
    .filter((message) => message?.role === 'assistant')
    .map(({ content }) => `${content}`)
}

function verdictStep({ champion, contender, verdict }: EvidenceRead): Step {
  const rewards = { champion: rewardOf(champion), contender: rewardOf(contender) }
  const computed = challengeVerdict(rewards)
  const holds = computed === verdict
  return {
    title: 'Rewards → verdict',
    says: holds
      ? 'The miner with the higher reward wins; equal rewards are a tie.'
      : 'From these rewards another verdict follows.',
    values: [
      ['champion', String(rewards.champion.reward)],
      ['contender', String(rewards.contender.reward)],
      ['verdict for the contender', computed],
      ['recorded', verdict],
    ],
    holds,
  }
}

const rewardOf = ({ reward = Number.NaN }: Recorded) => ({ reward })
