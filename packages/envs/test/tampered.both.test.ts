import { digest, type Json } from '@affine/prng'
import { expect, test } from 'vitest'
import games from '../../../vectors/envs/games.json' with { type: 'json' }
import { type Message, make, type PerSide, replayGame } from '../src/index.ts'
import { replayAltered } from './altered.ts'

test.each(games.vectors)('replays a game: $what', ({ input, want }) => {
  const recorded = input.recorded as unknown as PerSide<Message[]>
  const call = () => replayGame(make(input.env), input.challengeId, recorded)
  if (want === 'BAD_CHALLENGE_ID') return expect(call).toThrow(TypeError)
  const result = call()
  if (typeof want === 'string') expect(result).toMatchObject({ ok: false, code: want })
  else expect(result).toMatchObject({ ok: true, value: want })
})

// Python alters the same messages of the same episodes, and computes one digest of the results.
test.each(games.tampered)('replays $input episodes of $what, altered', ({ what, input, want }) => {
  const env = make(what)
  const results: Json[] = []
  for (let index = 0; index < input; index++) results.push(...replayAltered(env, index, 4).slice(1))
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBeGreaterThan(7)
  expect(digest('test', results)).toBe(want)
})
