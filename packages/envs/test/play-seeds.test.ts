import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Agent, make, play, playSeeds, seedOf } from '../src/index.ts'

const CHALLENGE = 'vBK25fcxhA1CnWXfVUW9LV4H3WttabjwUZK3di6rrPF'
const env = make('mult8-v0')
const perfect: Agent = (messages) => ({ content: env.spec.solve(messages.at(-1)!.content) })

test('a seed is played as its challenge is', async () => {
  const [played] = await playSeeds(env, { seeds: [seedOf(CHALLENGE)] }, perfect)
  expect(played).toEqual(await play(env, CHALLENGE, perfect))
  expect(played?.reward).toBe(1)
})

test('transcripts are in the order of the seeds, however many are played at once', async () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed)
  const want = await playSeeds(env, { seeds, atOnce: 1 }, perfect)
  expect(new Set(want.map(({ messages }) => messages[0]?.content)).size).toBe(40)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.scheduler(), async (atOnce, scheduler) => {
      const agent = scheduler.scheduleFunction(async (messages: Parameters<Agent>[0]) =>
        perfect(messages),
      )
      const played = playSeeds(env, { seeds: new Set(seeds), atOnce }, agent)
      expect(await scheduler.waitFor(played)).toEqual(want)
    }),
    { numRuns: 20 },
  )
})

test('no more are under way than asked for: 16, if nothing is', async () => {
  for (const [options, want] of [
    [{}, 16],
    [{ atOnce: 3 }, 3],
    [{ atOnce: 1000 }, 100],
  ] as const) {
    let [underWay, most] = [0, 0]
    const agent: Agent = async (messages) => {
      underWay += 1
      most = Math.max(most, underWay)
      await turn()
      underWay -= 1
      return perfect(messages)
    }
    await playSeeds(env, { seeds: Array.from({ length: 100 }, (_, i) => i), ...options }, agent)
    expect(most).toBe(want)
  }
})

test('an agent that fails ends it: no more are asked', async () => {
  let asked = 0
  const agent: Agent = async (messages) => {
    asked += 1
    const isFirst = asked === 1
    await turn()
    if (isFirst) throw new Error('out of order')
    return perfect(messages)
  }
  const seeds = Array.from({ length: 100 }, (_, i) => i)
  await expect(playSeeds(env, { seeds, atOnce: 4 }, agent)).rejects.toThrow('out of order')
  for (let turns = 0; turns < 10; turns++) await turn()
  expect(asked).toBe(4)
})

test('refuses what is no seed and no number of episodes', async () => {
  expect(await playSeeds(env, { seeds: [] }, perfect)).toEqual([])
  for (const atOnce of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    await expect(playSeeds(env, { seeds: [1], atOnce }, perfect)).rejects.toThrow('"atOnce"')
  await expect(playSeeds(env, { seeds: [1, -1] }, perfect)).rejects.toThrow(RangeError)
})
