import {
  isChallengeId,
  make,
  type ReplayedSide,
  registry,
  replayFrom,
  replayGameFrom,
  SIDES,
  seedOf,
  turnsOf,
} from '@affine/envs'
import { type EvidenceRead, type ProofEvidence, type Step, stepOf } from './proof-evidence.ts'

/** The steps of a proof in which the environment is asked again. Never throws. */
export const replaySteps = (evidence: ProofEvidence, read: EvidenceRead): readonly Step[] => [
  promptStep(read),
  ...read.episodes.map((_, i) => replayStep(evidence, read, i)),
]

const nameOf = (i: number, { episodes }: EvidenceRead): string =>
  (episodes.length === 1 ? 'miner' : SIDES[i]) ?? ''

/** The environment of a challenge and its seed, or in words which of them there is not. */
function challengeIn({ env, id }: EvidenceRead) {
  if (!registry.has(env)) return 'no such environment'
  if (!isChallengeId(id)) return 'no such challenge'
  return { env: make(env), seed: seedOf(id), isGame: make(env).spec.game !== undefined }
}

function promptStep(read: EvidenceRead): Step {
  const { prompt, first } = firstPrompt(read)
  const recorded = read.episodes.map(({ messages }) => messages?.[0]?.content)
  const isUnbegun = recorded.length > 1 && recorded.every((content) => content === undefined)
  const name = nameOf(first, read)
  const whom = recorded.length === 1 ? 'the miner was' : `the ${name}, who is first, was`
  const asked = recorded.map((content, i) => [`${nameOf(i, read)} was asked`, content ?? ''])
  return stepOf({
    title: 'Seed → prompt',
    holds: isUnbegun || recorded[first] === prompt,
    says: isUnbegun
      ? 'The game was never begun: nobody was asked this.'
      : `From this seed the environment makes the prompt that ${whom} asked.`,
    otherwise: `From this seed the environment makes another prompt than ${whom} asked.`,
    values: { 'drawn now': prompt, ...Object.fromEntries(asked) },
  })
}

/** The first prompt of a challenge, and which episode begins with it. */
function firstPrompt(read: EvidenceRead) {
  const challenge = challengeIn(read)
  if (typeof challenge === 'string') return { prompt: challenge, first: 0 }
  const { env, seed, isGame } = challenge
  const { value } = turnsOf(env.spec, seed, isGame ? 2 : 1).next()
  return { prompt: env.prompt(value.observation), first: isGame ? SIDES.indexOf(value.side) : 0 }
}

/** What an episode comes to when it is played again, of a game with the other; or why not. */
function replayedIn(read: EvidenceRead, i: number): ReplayedSide | string {
  const challenge = challengeIn(read)
  if (typeof challenge === 'string') return challenge
  const { env, seed, isGame } = challenge
  const { episodes } = read
  if (isGame !== episodes.length > 1) return 'played by another number of miners'
  const [champion = [], contender = []] = episodes.map(({ messages }) => messages ?? [])
  const replayed = isGame
    ? replayGameFrom(env, seed, { champion, contender })
    : replayFrom(env, seed, champion)
  if (!replayed.ok) return `${replayed.code} ${replayed.detail}`
  return 'reward' in replayed.value ? replayed.value : replayed.value[SIDES[i] ?? 'champion']
}

/** An episode by a miner that has to play it: its replies, played again, and what they come to. */
function replayStep({ champion, quotas }: ProofEvidence, read: EvidenceRead, i: number): Step {
  const contenders = Object.keys(quotas)
  const { episodes } = read
  const { messages, miner, reward, fault } = episodes[i] ?? {}
  const players = i === 0 ? [champion] : contenders
  const planned = episodes.length === 1 ? [champion, ...contenders] : players
  const played = replayedIn(read, i)
  const isSame =
    typeof played !== 'string' && played.reward === reward && played.fault === (fault !== undefined)
  return stepOf({
    title: `Replies of the ${nameOf(i, read)} → reward`,
    holds: planned.includes(`${miner}`) && isSame,
    says: 'The same code that the validators run plays the replies again, and comes to the reward.',
    otherwise: 'Played again by the same code, the replies do not come to what is recorded.',
    values: {
      ...numbered('reply', repliesIn(messages)),
      replayed: typeof played === 'string' ? played : `reward ${played.reward}`,
      recorded: `reward ${reward}${fault === undefined ? '' : `, ${fault}`}`,
    },
  })
}

/** Values by their numbers, from 1. */
export const numbered = (name: string, values: readonly string[]): Step['values'] =>
  Object.fromEntries(values.map((value, i) => [`${name} ${i + 1}`, value]))

function repliesIn(messages: unknown): readonly string[] {
  if (!Array.isArray(messages)) return []
  return messages
    .filter((message) => message?.role === 'assistant')
    .map(({ content }) => `${content}`)
}
