import { isChallengeId, make, registry } from '@affine/envs'
import { type Advice, adviceOn } from './advice.ts'

/** One turn of an episode: what was asked, what was replied, and what an expert says of it. */
export interface Turn {
  readonly prompt: string
  /** Undefined where nobody has replied. */
  readonly reply: string | undefined
  /** What the reply is as an action; null for one that cannot be read. */
  readonly action: unknown
  readonly isLegal: boolean
  /** As the environment shows the state before the reply. */
  readonly observation: unknown
  readonly advice: Advice | undefined
}

/** An episode that is played from recorded or given replies, as far as they go. */
export interface Course {
  readonly env: string
  readonly challengeId: string
  readonly turns: readonly Turn[]
  /** The state after the last reply. */
  readonly last: unknown
  readonly isOver: boolean
  readonly reward: number
  readonly lowest: number
  readonly highest: number
}

/** What an episode is played from. */
export interface Played {
  readonly env: string
  readonly challengeId: string
  readonly replies: readonly string[]
}

/**
 * The course of an episode, turn by turn; undefined for an environment that is not known here, or
 * what is no challenge id. Replies after the end are left out.
 */
export function courseOf({ env: name, challengeId, replies }: Played): Course | undefined {
  if (!registry.has(name) || !isChallengeId(challengeId)) return undefined
  const env = make(name)
  let [observation] = env.reset({ options: { challengeId } })
  const turns: Turn[] = []
  for (const reply of replies) {
    if (env.over) break
    const prompt = env.render()
    const before = observation
    const action = env.parse(reply)
    const advice = adviceOn(name, before, { action, reply })
    const [after, , terminated] = env.step(action)
    const isLegal = action !== null && !(terminated && isSameState(before, after, name))
    turns.push({ prompt, reply, action, isLegal, observation: before, advice })
    observation = after
  }
  if (!env.over) {
    const advice = adviceOn(name, observation)
    const open = { prompt: env.render(), reply: undefined, action: undefined, isLegal: true }
    turns.push({ ...open, observation, advice })
  }
  const { lowestReward: lowest, highestReward: highest } = env.spec
  const ended = { last: observation, isOver: env.over, reward: env.total, lowest, highest }
  return { env: name, challengeId, turns, ...ended }
}

/** In a game that goes on by marks, an action that changes nothing was not taken. */
const isSameState = (a: unknown, b: unknown, env: string): boolean =>
  env.startsWith('tictactoe@') && String(a) === String(b)
