import { make, registry, type Transcript } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { idOf } from '../../envs/test/ids.ts'
import { describeSoloEnding, formatLoss } from '../src/index.ts'
import { courseOf, solve } from './played.ts'

const HASH = '0'.repeat(64)

/** Covers every registered environment, also one that is registered later. */
describe.each([...registry.keys()])('%s', (env) => {
  const { spec } = make(env)
  const ids = Array.from({ length: 3 }, (_, index) => idOf(env, index))

  it.each(ids)(
    'is explained turn by turn, and a perfect player makes no mistake: %s',
    async (id) => {
      const { turns, ending } = await courseOf(env, id, solve(env))
      for (const { best, reply } of turns)
        expect(best.map((action) => spec.format(action))).toContain(reply)
      expect(turns.map(({ mistake }) => mistake).filter(Boolean)).toEqual([])
      // One of two perfect players loses a game, and the ending states when that was certain.
      const isGame = ending.givenUpAfter !== undefined
      expect(isGame ? undefined : ending.better).toBe(undefined)
      expect(ending.why).not.toBe('')
    },
  )

  it('describes the ending and the best reply of a loss', async () => {
    const [id = ''] = ids
    const prompt = (await courseOf(env, id, () => null)).turns[0]?.prompt ?? ''
    const lost: Transcript = {
      messages: [
        { role: 'user', content: prompt },
        { role: 'assistant', content: 'I do not know' },
      ],
      reward: spec.lowestReward,
    }
    const ending = describeSoloEnding({ env, challengeId: id }, lost)
    expect(ending.why).toContain('"I do not know"')
    expect(ending.better).toContain(spec.solve(prompt))
    const episode = { ...lost, miner: '5A', ms: 1 }
    const sides = { champion: { ...episode, reward: spec.highestReward }, contender: episode }
    const pair = { env, index: 0, challengeId: id, ...sides } as const
    const place = { epoch: 1, validator: '5V', block: HASH, line: 0 }
    const text = formatLoss({ ...place, pair, ending })
    expect(text).toBe(`lost ${env}#0 in epoch 1: ${ending.why}; ${ending.better}`)
  })
})
