import { digest, type Json } from '@affine/prng'
import { expect, test } from 'vitest'
import games from '../../../vectors/envs/games.json' with { type: 'json' }
import { make } from '../src/index.ts'
import { replayAltered } from './altered.ts'

const EACH = 500
// `npm run test:long -- recorded` replays all 10,000 games, `npm test` only some.
const GAMES = Number(process.env.GAMES ?? EACH)

// Python replays the same games, each as recorded and altered once.
test.each(games.recorded.filter(({ input }) => input < GAMES))(
  'replays 500 golden episodes of $what from episode $input on, as recorded and altered',
  ({ what, input, want }) => {
    const env = make(what)
    const results: Json[] = []
    for (let index = input; index < input + EACH; index++)
      results.push(...replayAltered(env, index, 1))
    expect(digest('test', results)).toBe(want)
  },
)
