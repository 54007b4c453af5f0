import type { Sample } from '@affine/blocks'
import { make, registry, replay, type Transcript } from '@affine/envs'
import { courseOf, type EpisodeCourse } from './course.ts'
import type { EpisodeEnding } from './ending.ts'
import { gameCourse, type RecordedGame } from './game-course.ts'
import type { Side } from './sides.ts'

export type ChallengeRef = Pick<Sample, 'env' | 'challengeId'>

/**
 * How an episode that one player played alone ended. If it does not replay, or its environment is
 * not registered, only the reward. Never throws, whatever the messages.
 */
export function endingOf(challenge: ChallengeRef, episode: Transcript): EpisodeEnding {
  return recordedCourse(challenge, episode)?.ending ?? plainEnding(episode)
}

/** How a challenge ended for a side of a duel, as `endingOf`. */
export function sampleEnding(sample: RecordedGame, side: Side): EpisodeEnding {
  return sampleCourse(sample, side)?.ending ?? plainEnding(sample[side])
}

const plainEnding = ({ reward }: Transcript): EpisodeEnding => {
  return { why: `reward ${reward}`, shown: [], better: undefined }
}

/** The course of a challenge for a side of a duel, as `recordedCourse`. */
export function sampleCourse(sample: RecordedGame, side: Side): EpisodeCourse | undefined {
  if (registry.get(sample.env)?.game !== undefined) return gameCourse(sample, side)
  return recordedCourse(sample, sample[side])
}

/**
 * The course of a recorded episode of one player alone; undefined if it does not replay, or its
 * environment is not registered. Never throws, whatever the messages.
 */
export function recordedCourse(
  { env, challengeId }: ChallengeRef,
  { messages, fault = 'no-reply' }: Transcript,
): EpisodeCourse | undefined {
  if (!registry.has(env) || !replay(make(env), challengeId, messages).ok) return undefined
  const replies = messages.filter(({ role }) => role === 'assistant')
  return courseOf({ env, challengeId, replies: replies.map(({ content }) => content), fault })
}
