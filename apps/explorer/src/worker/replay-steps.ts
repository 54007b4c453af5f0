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
import type { EvidenceRead, ProofEvidence, Recorded, Step } from './proof-evidence.ts'

/** The steps of a proof in which the environment is asked again. Never throws. */
export function replaySteps(evidence: ProofEvidence, read: EvidenceRead): readonly Step[] {
  const replayed = read.episodes.map((recorded, i) => {
    const isPlanned = minersAt(i, evidence, read).includes(`${recorded.miner}`)
    return replayStep(nameOf(i, read), { recorded, isPlanned, played: replayedIn(read, i) })
  })
  return [promptStep(read), ...replayed]
}

/** The miners that may have played an episode of a sample. */
function minersAt(
  i: number,
  { champion, contenders }: ProofEvidence,
  { episodes }: EvidenceRead,
): readonly string[] {
  if (episodes.length === 1) return [champion, ...contenders]
  return i === 0 ? [champion] : contenders
}

const nameOf = (i: number, { episodes }: EvidenceRead): string =>
  (episodes.length === 1 ? 'miner' : SIDES[i]) ?? ''

function promptStep(read: EvidenceRead): Step {
  const { prompt, first } = firstPrompt(read)
  const recorded = read.episodes.map(({ messages }) => messages?.[0]?.content)
  const isUnbegun = recorded.length > 1 && recorded.every((content) => content === undefined)
  const holds = isUnbegun || recorded[first] === prompt
  const name = nameOf(first, read)
  const whom = recorded.length === 1 ? 'the miner was' : `the ${name}, who is first, was`
  const whole = isUnbegun
    ? 'The game was never begun: nobody was asked this.'
    : `From this seed the environment makes the prompt that ${whom} asked.`
  return {
    title: 'Seed → prompt',
    says: holds ? whole : `From this seed the environment makes another prompt than ${whom} asked.`,
    values: {
      'drawn now': prompt,
      ...Object.fromEntries(
        recorded.map((content, i) => [`${nameOf(i, read)} was asked`, content ?? '']),
      ),
    },
    holds,
  }
}

/** The first prompt of a challenge, and which episode begins with it. */
function firstPrompt({ env: name, id }: EvidenceRead) {
  if (!registry.has(name)) return { prompt: 'no such environment', first: 0 }
  if (!isChallengeId(id)) return { prompt: 'no such challenge', first: 0 }
  const env = make(name)
  const isGame = env.spec.game !== undefined
  const { value } = turnsOf(env.spec, seedOf(id), isGame ? 2 : 1).next()
  const prompt = env.prompt(value.observation)
  return { prompt, first: isGame ? SIDES.indexOf(value.side) : 0 }
}

type SideReplay =
  | { readonly ok: true; readonly value: ReplayedSide }
  | { readonly ok: false; readonly code: string; readonly detail: string }

/** What an episode comes to when it is played again: of a game with the other, else alone. */
function replayedIn({ env: name, id, episodes }: EvidenceRead, i: number): SideReplay {
  if (!registry.has(name)) return refused('no such environment')
  if (!isChallengeId(id)) return refused('no such challenge')
  const env = make(name)
  const isGame = env.spec.game !== undefined
  if (isGame !== episodes.length > 1) return refused('played by another number of miners')
  const [champion = [], contender = []] = episodes.map(({ messages }) => messages ?? [])
  if (!isGame) return replayFrom(env, seedOf(id), champion)
  const played = replayGameFrom(env, seedOf(id), { champion, contender })
  return played.ok ? { ok: true, value: played.value[SIDES[i] ?? 'champion'] } : played
}

const refused = (code: string): SideReplay => ({ ok: false, code, detail: '' })

/** One episode, the replies that were played again, and what they came to. */
interface ReplayedEpisode {
  readonly recorded: Recorded
  /** Is it of a miner that has to play this? */
  readonly isPlanned: boolean
  readonly played: SideReplay
}

function replayStep(name: string, { recorded, isPlanned, played }: ReplayedEpisode): Step {
  const { reward, fault } = recorded
  const own = played.ok ? played.value : undefined
  const came = played.ok ? `reward ${played.value.reward}` : `${played.code} ${played.detail}`
  const holds = isPlanned && own?.reward === reward && own?.fault === (fault !== undefined)
  return {
    title: `Replies of the ${name} → reward`,
    says: holds
      ? 'The same code that the validators run plays the replies again, and comes to the reward.'
      : 'Played again by the same code, the replies do not come to what is recorded.',
    values: {
      ...numbered('reply', repliesIn(recorded)),
      replayed: came,
      recorded: `reward ${reward}${fault === undefined ? '' : `, ${fault}`}`,
    },
    holds,
  }
}

/** Values by their numbers, from 1. */
export const numbered = (name: string, values: readonly string[]): Step['values'] =>
  Object.fromEntries(values.map((value, i) => [`${name} ${i + 1}`, value]))

function repliesIn({ messages = [] }: Recorded): readonly string[] {
  if (!Array.isArray(messages)) return []
  return messages
    .filter((message) => message?.role === 'assistant')
    .map(({ content }) => `${content}`)
}
