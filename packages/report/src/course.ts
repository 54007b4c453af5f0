import { type Env, isChallengeId, make, type Picture, registry, seedOf } from '@affine/envs'
import { pcg64 } from '@affine/prng'
import { type EpisodeEnding, endingIn } from './ending.ts'
import type { Side } from './sides.ts'
import { type Turn, turnOf } from './turn.ts'

/** An episode that is played from recorded or given replies, as far as they go. */
export interface EpisodeCourse {
  readonly env: string
  readonly challengeId: string
  /** While the episode is not over, the last turn has no reply. */
  readonly turns: readonly Turn[]
  /** What was observed after the last reply. */
  readonly last: unknown
  readonly lastPicture: Picture | undefined
  /** In an environment of two players, the second is the scripted one unless it is recorded. */
  readonly players: 1 | 2
  /** Of a recorded game, the turns of both sides in their order. */
  readonly moves?: readonly GameMove[]
  readonly isOver: boolean
  readonly reward: number
  /** Undefined while it is not over. */
  readonly ending: EpisodeEnding | undefined
}

/** A turn of a recorded game, and whose it was. */
export interface GameMove {
  readonly side: Side
  readonly turn: Turn
}

/** What an episode is played from. */
export interface PlayedReplies {
  readonly env: string
  readonly challengeId: string
  readonly replies: readonly string[]
  /** Of a game's scripted opponent. Protocol §3.6. */
  readonly strength?: number | undefined
  /** Why no usable reply came after these: the episode is then over. */
  readonly fault?: string | undefined
}

/**
 * The course of an episode, turn by turn; undefined if the environment is not registered or the
 * challenge id is not valid. Replies after the end are left out. Never throws, if a strength is
 * given for games only.
 */
export function courseOf({
  env: name,
  challengeId,
  replies,
  strength,
  fault,
}: PlayedReplies): EpisodeCourse | undefined {
  if (!registry.has(name) || !isChallengeId(challengeId)) return undefined
  const env = make(name, { strength })
  const played = playReplies(env, challengeId, replies)
  const { turns, last, isOver } = played
  const course = {
    env: name,
    challengeId,
    ...played,
    lastPicture: env.spec.explain?.picture?.(last),
    players: env.spec.game === undefined ? 1 : 2,
  } as const
  if (isOver) return { ...course, ending: endingIn(env.spec, played) }
  const open = { ...course, turns: [...turns, turnOf(env, last)] }
  if (fault === undefined) return { ...open, ending: undefined }
  const reward = env.spec.lowestReward
  return { ...open, isOver: true, reward, ending: endingIn(env.spec, open, fault) }
}

/** Plays replies until the episode or the replies end. */
function playReplies(env: Env, challengeId: string, replies: readonly string[]) {
  const { spec } = env
  const random = pcg64(seedOf(challengeId))
  const turns: Turn[] = []
  let state = spec.initial(random)
  let reward = 0
  let isOver = false
  for (const reply of replies) {
    if (isOver) break
    const action = env.parse(reply)
    const next = action === null ? null : spec.step(state, action, random)
    turns.push(turnOf(env, spec.observe(state), { reply, action, isLegal: next !== null }))
    reward = next === null ? spec.lowestReward : reward + next.reward
    isOver = next === null || next.terminated || turns.length === spec.maxSteps
    state = next?.state ?? state
  }
  return { turns, last: spec.observe(state), isOver, reward }
}
