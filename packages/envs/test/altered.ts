import { digest, type Json, pcg64 } from '@affine/prng'
import { encodeId } from '../src/challenge.ts'
import { goldenEpisode, listTranscripts } from '../src/golden.ts'
import { type Env, type Message, replay, replayGame } from '../src/index.ts'

type Random = ReturnType<typeof pcg64>

/**
 * Returns the replay results of a golden episode as recorded and after each of `times` alterations,
 * as vectors/envs/make.py does.
 */
export function replayAltered(env: Env, index: number, times: number): readonly Json[] {
  const lists = listTranscripts(goldenEpisode(env.spec, index)).map(({ messages }) => messages)
  const challengeId = encodeId(digest('golden', env.spec.id, index))
  const random = pcg64(index)
  const results = [replayed(env, challengeId, lists)]
  for (let time = 0; time < times; time++) {
    const altered = lists.map((list): Message[] => [...list])
    for (let left = random.integers(1, 4); left > 0; left--) alter(altered, random)
    results.push(replayed(env, challengeId, altered))
  }
  return results
}

/** Makes one random change of one message. */
function alter(lists: Message[][], random: Random): void {
  const [kind, side] = [random.integers(0, 8), random.integers(0, lists.length)]
  const list = lists[side] as Message[]
  const at = random.integers(0, list.length + 1)
  const message = list[at]
  if (message === undefined) {
    list.push({ role: kind % 2 === 1 ? 'user' : 'assistant', content: 'A1' })
    return
  }
  const { role, content } = message
  const put = (change: Partial<Message>): void => void list.splice(at, 1, { ...message, ...change })
  const alterations = [
    () => list.splice(at, 1),
    () => list.splice(at, 0, message),
    () => list.splice(at),
    () => {
      const where = random.integers(0, content.length + 1)
      put({ content: `${content.slice(0, where)}B${content.slice(where + 1)}` })
    },
    () => put({ content: `${content}\n` }),
    () => lists[lists.length - 1 - side]?.push(message),
    () => put({ role: role === 'user' ? 'assistant' : 'user' }),
    () => put({ content: content.slice(0, -1) }),
  ]
  alterations[kind]?.()
}

function replayed(env: Env, challengeId: string, lists: readonly (readonly Message[])[]): Json {
  const [champion = [], contender = []] = lists
  if (env.spec.game === undefined) {
    const result = replay(env, challengeId, champion)
    return result.ok ? [result.value.reward, result.value.fault] : result.code
  }
  const result = replayGame(env, challengeId, { champion, contender })
  if (!result.ok) return result.code
  return [result.value.champion, result.value.contender].map(({ reward, fault }) => [reward, fault])
}
