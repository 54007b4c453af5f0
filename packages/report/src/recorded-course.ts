import type { Sample } from '@affine/blocks'
import { make, registry, replay, type Transcript } from '@affine/envs'
import { courseOf, type EpisodeCourse, type PlayedReplies } from './course.ts'
import type { EpisodeEnding } from './ending.ts'
import { gameCourse, type RecordedGame } from './game-course.ts'
import type { Side } from './sides.ts'

export type ChallengeRef = Pick<Sample, 'env' | 'challengeId'>

/** A challenge that one player plays alone, in a game against a scripted opponent. */
export type SoloRef = ChallengeRef & Pick<PlayedReplies, 'strength'>

/**
 * How an episode that one player played alone ended. If it does not replay, or its environment is
 * not registered, only the reward. Never throws, whatever the messages.
 */
export function endingOf(challenge: SoloRef, episode: Transcript): EpisodeEnding {
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
  { env, challengeId, strength }: SoloRef,
  { messages, fault = 'no-reply' }: Transcript,
): EpisodeCourse | undefined {
  if (!registry.has(env)) return undefined
  if (!replay(make(env, { strength }), challengeId, messages).ok) return undefined
  const said = messages.filter(({ role }) => role === 'assistant')
  const replies = said.map(({ content }) => content)
  return courseOf({ env, challengeId, strength, replies, fault })
}
