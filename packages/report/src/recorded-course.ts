import type { Sample } from '@affine/blocks'
import { make, registry, replay, type Transcript } from '@affine/envs'
import { courseOf, type EpisodeCourse } from './course.ts'
import type { EpisodeEnding } from './ending.ts'

export type ChallengeRef = Pick<Sample, 'env' | 'challengeId'>

/**
 * How an episode ended. If it does not replay, or its environment is not registered, only the
 * reward. Never throws, whatever the messages.
 */
export function endingOf(challenge: ChallengeRef, episode: Transcript): EpisodeEnding {
  const plain = { why: `reward ${episode.reward}`, shown: [], better: undefined }
  return recordedCourse(challenge, episode)?.ending ?? plain
}

/**
 * The course of a recorded episode; undefined if it does not replay, or its environment is
 * not registered. Never throws, whatever the messages.
 */
export function recordedCourse(
  { env, challengeId }: ChallengeRef,
  { messages, fault = 'no-reply' }: Transcript,
): EpisodeCourse | undefined {
  if (!registry.has(env) || !replay(make(env), challengeId, messages).ok) return undefined
  const replies = messages.filter(({ role }) => role === 'assistant')
  return courseOf({ env, challengeId, replies: replies.map(({ content }) => content), fault })
}
