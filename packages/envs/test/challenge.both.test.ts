import { expect, test } from 'vitest'
import { challengeId, deriveChallenges, deriveSeed, make, play, replay } from '../src/index.ts'

const zeros = '0'.repeat(64)
const env = 'mult8@0.1.0'
const parts = {
  genesis: zeros,
  netuid: 1,
  env,
  specHash: zeros,
  validator: 'v',
  epoch: 0,
  beacon: zeros,
  secret: zeros,
}
const challengeAt = deriveChallenges(parts)

test('computes the challenges of a lane as `challengeId` does one by one', () => {
  for (let index = 0; index < 300; index += 7) {
    const id = challengeId({ ...parts, index })
    const challenge = challengeAt({ index })
    expect(challenge).toMatchObject({ id, seed: deriveSeed(id) })
    expect(challengeAt({ index })).toEqual(challenge)
    const game = { index, contender: 'c' }
    expect(challengeAt(game).id).toBe(challengeId({ ...parts, ...game }))
  }
})

test('replays a challenge from its seed', async () => {
  const [game, id] = [make(env), challengeAt({ index: 3 }).id]
  const { messages } = await play(game, id, (prompts) => {
    return { content: game.spec.solve(prompts.at(-1)?.content ?? '') }
  })
  expect(replay(game, deriveSeed(id), messages)).toEqual({
    ok: true,
    value: { reward: 1, fault: false },
  })
  expect(replay(game, deriveSeed(id), messages)).toEqual(replay(game, id, messages))
  expect(replay(game, deriveSeed(id) + 1n, messages)).toMatchObject({ code: 'PROMPT_DIFFERS' })
  expect(replay(game, 7n, null as never)).toMatchObject({ code: 'TOO_SHORT' })
})
