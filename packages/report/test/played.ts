import { make, play } from '@affine/envs'
import { replaySolo } from '../src/course.ts'

/** Replays an episode in which a player gives these replies, and then none. */
export async function courseOf(env: string, challengeId: string, replies: Iterable<string>) {
  const left = replies[Symbol.iterator]()
  const episode = await play(make(env), challengeId, () => {
    const { done, value } = left.next()
    return done ? { fault: 'no-reply' } : { content: value }
  })
  const course = replaySolo({ env, challengeId }, episode)
  if (course === undefined) throw new Error('what was played replays')
  return course
}

/** Replays an episode of the scripted player. */
export async function solvedCourse(env: string, challengeId: string) {
  const { spec } = make(env)
  const episode = await play({ spec }, challengeId, (messages) => ({
    content: spec.solve(messages.at(-1)?.content ?? ''),
  }))
  return replaySolo({ env, challengeId }, episode)
}
