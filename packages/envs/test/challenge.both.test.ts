import fc from 'fast-check'
import { expect, test } from 'vitest'
import { challengeId, challengesOf, make, play, replay, replayFrom, seedOf } from '../src/index.ts'

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
const challenges = challengesOf(parts)

test('the challenges of a lane are those that follow one by one', () => {
  for (let index = 0; index < 300; index += 7) {
    const id = challengeId({ ...parts, index })
    expect(challenges.idOf({ index })).toBe(id)
    expect(challenges.seedIf({ index }, id)).toBe(seedOf(id))
    expect(challenges.seedIf({ index: index + 1 }, id)).toBeUndefined()
    const game = { index, contender: 'c' }
    expect(challenges.idOf(game)).toBe(challengeId({ ...parts, ...game }))
    expect(challenges.seedIf(game, id)).toBeUndefined()
  }
})

test('no other text is an id, whatever it is', () => {
  const id = challenges.idOf({ index: 5 })
  const altered = fc
    .tuple(
      fc.nat({ max: id.length }),
      fc.constantFrom('', '1', 'z', '0', ' ', '11'),
      fc.nat({ max: 2 }),
    )
    .map(([at, put, cut]) => id.slice(0, at) + put + id.slice(at + cut))
    .filter((text) => text !== id)
  fc.assert(
    fc.property(fc.oneof(altered, fc.string(), fc.anything()), (text) => {
      expect(challenges.seedIf({ index: 5 }, text as string)).toBeUndefined()
    }),
  )
})

test('a replay from the seed is the replay of the challenge', async () => {
  const [game, id] = [make(env), challenges.idOf({ index: 3 })]
  const { messages } = await play(game, id, (asked) => {
    return { content: game.spec.solve(asked.at(-1)?.content ?? '') }
  })
  expect(replayFrom(game, seedOf(id), messages)).toEqual({
    ok: true,
    value: { reward: 1, fault: false },
  })
  expect(replayFrom(game, seedOf(id), messages)).toEqual(replay(game, id, messages))
  expect(replayFrom(game, seedOf(id) + 1n, messages)).toMatchObject({ code: 'PROMPT_DIFFERS' })
  expect(replayFrom(game, 7n, null as never)).toMatchObject({ code: 'TOO_SHORT' })
})
