import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../packages/blocks/src/index.ts'
import { streamOf } from '../simulate/draw.ts'
import { BLOCK_SAMPLES, bucketsOf, History, verdictOf } from './history.ts'

/** The number of mutated histories, and the number of subnets whose histories are mutated. */
const HISTORIES = Number(process.env.HISTORIES ?? 12)
const SUBNETS = 2

const { blockSamples } = LIMITS
const subnets: History[] = []
beforeAll(async () => {
  Object.assign(LIMITS, { blockSamples: BLOCK_SAMPLES })
  for (let seed = 0; seed < SUBNETS; seed++) subnets.push(await new History(seed).make())
})
afterAll(() => Object.assign(LIMITS, { blockSamples }))

/** The codes of all flaws found. */
const codes = new Set<string>()

test.each(Array.from({ length: SUBNETS }, (_, i) => i))(
  'finds the same flaws in any order of answers, with any number of concurrent lanes: subnet %i',
  async (which) => {
    const subnet = subnets[which]
    if (subnet === undefined) throw new Error('no subnet')
    for (let seed = which; seed < HISTORIES; seed += SUBNETS) {
      const answers = subnet.mutated(streamOf(seed, 'mutations'))
      const alone = await verdictOf(subnet, bucketsOf(answers, seed), 1)
      if ('error' in alone) codes.add('nothing decided')
      for (const code of JSON.stringify(alone).matchAll(/"code":"(\w+)"/g)) codes.add(code[1] ?? '')
      for (const lanesAtOnce of [1, 9]) {
        const buckets = bucketsOf(answers, seed + 1000 * lanesAtOnce)
        const together = await verdictOf(subnet, buckets, lanesAtOnce)
        expect(together, `history ${seed}, ${lanesAtOnce} lanes at once`).toEqual(alone)
      }
    }
  },
)

test('mutates histories so that some are undecided and all five flaws below are found', () => {
  const expected = [
    'nothing decided',
    'COPY_MISSING',
    'SIGNED_TWICE',
    'STATE_DIFFERS',
    'STATE_MISSING',
    'WRONG_REWARD',
  ]
  expect([...codes]).toEqual(expect.arrayContaining(expected))
})
