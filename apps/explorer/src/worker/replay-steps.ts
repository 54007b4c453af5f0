import { challengeVerdict } from '@affine/blocks'
import {
  isChallengeId,
  make,
  registry,
  replayFrom,
  replayGameFrom,
  SIDES,
  type Side,
  seedOf,
  turnsOf,
} from '@affine/envs'
import type { EvidenceRead, ProofEvidence, Recorded, Step } from './proof-evidence.ts'

/** The steps of a proof in which the environment is asked again. Never throws. */
export function replaySteps(evidence: ProofEvidence, read: EvidenceRead): readonly Step[] {
  const replayed = SIDES.map((side) => {
    const played = replayedIn(read, side)
    return replayStep(side, { miner: evidence[side], recorded: read[side], played })
  })
  return [promptStep(read), ...replayed, verdictStep(read)]
}

function promptStep(read: EvidenceRead): Step {
  const { prompt, sides } = firstPrompt(read)
  const recordedOf = (side: Side) => read[side].messages?.[0]?.content
  const isUnbegun = sides.length === 1 && SIDES.every((side) => recordedOf(side) === undefined)
  const holds = isUnbegun || sides.every((side) => recordedOf(side) === prompt)
  const whom = sides.length === 1 ? `the ${sides[0]}, who is first, was` : 'both miners were'
  const whole = isUnbegun
    ? 'The game was never begun: nobody was asked this.'
    : `From this seed the environment makes the prompt that ${whom} asked.`
  return {
    title: 'Seed → prompt',
    says: holds ? whole : `From this seed the environment makes another prompt than ${whom} asked.`,
    values: [
      ['drawn now', prompt],
      ['champion was asked', recordedOf('champion') ?? ''],
      ['contender was asked', recordedOf('contender') ?? ''],
    ],
    holds,
  }
}

/** The first prompt of a challenge, and which sides get it: of a game, one. */
function firstPrompt({ env: name, id }: EvidenceRead) {
  if (!registry.has(name)) return { prompt: 'no such environment', sides: SIDES }
  if (!isChallengeId(id)) return { prompt: 'no such challenge', sides: SIDES }
  const env = make(name)
  const { value } = turnsOf(env.spec, seedOf(id), env.spec.game === undefined ? 1 : 2).next()
  const prompt = env.prompt(value.observation)
  return { prompt, sides: env.spec.game === undefined ? SIDES : [value.side] }
}

/** What one side comes to when it is played again: of a game with the other, else alone. */
function replayedIn({ env: name, id, champion, contender }: EvidenceRead, side: Side) {
  if (!registry.has(name)) return refused('no such environment')
  if (!isChallengeId(id)) return refused('no such challenge')
  const env = make(name)
  const messages = { champion: champion.messages ?? [], contender: contender.messages ?? [] }
  if (env.spec.game === undefined) return replayFrom(env, seedOf(id), messages[side])
  const played = replayGameFrom(env, seedOf(id), messages)
  return played.ok ? { ok: true as const, value: played.value[side] } : played
}

const refused = (code: string) => ({ ok: false as const, code, detail: '' })

/** One side: its miner, the replies that were played again, and what they came to. */
interface ReplayedEpisode {
  readonly miner: string
  readonly recorded: Recorded
  readonly played: ReturnType<typeof replayedIn>
}

function replayStep(side: Side, { miner, recorded, played }: ReplayedEpisode): Step {
  const { reward, fault } = recorded
  const own = played.ok ? played.value : undefined
  const came = played.ok ? `reward ${played.value.reward}` : `${played.code} ${played.detail}`
  const holds =
    recorded.miner === miner && own?.reward === reward && own?.fault === (fault !== undefined)
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
