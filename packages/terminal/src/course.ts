import { forfeitOf, type Sample } from '@affine/blocks'
import { make, registry, replay, type Transcript } from '@affine/envs'

export type Challenge = Pick<Sample, 'env' | 'challengeId'>

/** How an episode ended, for people. */
export interface Ending {
  readonly why: string
  /** The last board, or the products below each other: lines of one width. */
  readonly shown: readonly string[]
  /** What would have been better; undefined when nothing would. */
  readonly better: string | undefined
}

/** A reply in its place: what was seen before it and after it, and the action that it is. */
export interface Turn {
  readonly before: unknown
  readonly reply: string
  readonly action: unknown
  readonly after: unknown
}

/** An episode that replays: its turns, what was asked last, and why it was forfeited. */
export interface Course {
  readonly turns: readonly Turn[]
  /** What the player saw last before it replied, or did not. */
  readonly last: unknown
  readonly reward: number
  readonly forfeit: string | undefined
}

/**
 * An episode turn by turn; undefined for one that does not replay, or of an environment that is not
 * registered. Never throws, whatever the messages.
 */
export function courseOf(challenge: Challenge, episode: Transcript): Course | undefined {
  const { env, challengeId } = challenge
  const { messages, reward } = episode
  if (!registry.has(env)) return undefined
  const game = make(env)
  if (!replay(game, challengeId, messages).ok) return undefined
  const forfeit = forfeitOf({ ...challenge, contender: episode }, 'contender')
  let [before] = game.reset({ options: { challengeId } })
  let last = before
  const turns: Turn[] = []
  for (const { role, content } of messages) {
    last = before
    if (role === 'user') continue
    const action = game.parse(content)
    const [after] = game.step(action)
    turns.push({ before, reply: content, action, after })
    before = after
  }
  return { turns, last, reward, forfeit }
}
