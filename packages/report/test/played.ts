import { make, play, type Transcript } from '@affine/envs'
import { replaySolo } from '../src/course.ts'

/** Plays an episode with replies to its prompts, null for none. Returns it, and its replay. */
export async function courseOf(
  env: string,
  challengeId: string,
  reply: (prompt: string) => string | null,
) {
  const episode: Transcript = await play(make(env), challengeId, (messages) => {
    const content = reply(messages.at(-1)?.content ?? '')
    return content === null ? { fault: 'no-reply' } : { content }
  })
  const course = replaySolo({ env, challengeId }, episode)
  if (course === undefined) throw new Error('the played episode does not replay')
  return { episode, ...course }
}

/** Returns the scripted player of an environment. */
export const solve = (env: string) => (prompt: string) => make(env).spec.solve(prompt)
