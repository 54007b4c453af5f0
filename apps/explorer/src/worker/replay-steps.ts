import { type Episode, episodesIn, type Sample } from '@affine/blocks'
import {
  make,
  type ReplayedSide,
  registry,
  replay,
  replayGame,
  repliesIn,
  SIDES,
  seedOf,
  turnsOf,
} from '@affine/envs'
import { type ProofEvidence, type Step, stepOf } from './proof-evidence.ts'

/** The steps of a proof in which the environment is asked again. Never throws. */
export const replaySteps = (evidence: ProofEvidence, sample: Sample): readonly Step[] => [
  promptStep(sample),
  ...[...episodesIn(sample).entries()].map((entry) => replayStep(evidence, sample, entry)),
]

const nameOf = (i: number, sample: Sample): string => ('miner' in sample ? 'miner' : SIDES[i]) ?? ''

const NO_ENVIRONMENT = 'no such environment'

/** The environment of a challenge and its seed; undefined if there is no such environment. */
function challengeIn({ env, challengeId }: Sample) {
  if (!registry.has(env)) return undefined
  return { env: make(env), seed: seedOf(challengeId), isGame: make(env).spec.game !== undefined }
}

function promptStep(sample: Sample): Step {
  const { prompt, first } = firstPrompt(sample)
  const recorded = episodesIn(sample).map(({ messages }) => messages[0]?.content)
  const isUnbegun = recorded.length > 1 && recorded.every((content) => content === undefined)
  const name = nameOf(first, sample)
  const whom = recorded.length === 1 ? 'the miner was' : `the ${name}, who is first, was`
  const asked = recorded.map((content, i) => [`${nameOf(i, sample)} was asked`, content ?? ''])
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
function firstPrompt(sample: Sample) {
  const challenge = challengeIn(sample)
  if (challenge === undefined) return { prompt: NO_ENVIRONMENT, first: 0 }
  const { env, seed, isGame } = challenge
  const { value } = turnsOf(env.spec, seed, isGame ? 2 : 1).next()
  return { prompt: env.prompt(value.observation), first: isGame ? SIDES.indexOf(value.side) : 0 }
}

/** What an episode comes to when it is played again, of a game with the other; or why not. */
function replayedIn(sample: Sample, i: number): ReplayedSide | string {
  const challenge = challengeIn(sample)
  if (challenge === undefined) return NO_ENVIRONMENT
  const { env, seed, isGame } = challenge
  if (isGame === 'miner' in sample) return 'played by another number of miners'
  const [champion = [], contender = []] = episodesIn(sample).map(({ messages }) => messages)
  const replayed = isGame
    ? replayGame(env, seed, { champion, contender })
    : replay(env, seed, champion)
  if (!replayed.ok) return `${replayed.code} ${replayed.detail}`
  return 'reward' in replayed.value ? replayed.value : replayed.value[SIDES[i] ?? 'champion']
}

/** An episode by a miner that has to play it: its replies, played again, and what they come to. */
function replayStep(
  { champion, quotas }: ProofEvidence,
  sample: Sample,
  [i, episode]: readonly [index: number, episode: Episode],
): Step {
  const contenders = Object.keys(quotas)
  const { messages, miner, reward, fault } = episode
  const players = i === 0 ? [champion] : contenders
  const planned = 'miner' in sample ? [champion, ...contenders] : players
  const played = replayedIn(sample, i)
  const isSame =
    typeof played !== 'string' && played.reward === reward && played.fault === (fault !== undefined)
  return stepOf({
    title: `Replies of the ${nameOf(i, sample)} → reward`,
    holds: planned.includes(miner) && isSame,
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
