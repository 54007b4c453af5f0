import { beforeAll, expect, test } from 'vitest'
import { streamOf } from '../simulate/draw.ts'
import { bucketsOf, History, verdictOf } from './history.ts'

/** How many mutated histories; and of how many subnets. */
const HISTORIES = Number(process.env.HISTORIES ?? 12)
const SUBNETS = 2

const subnets: History[] = []
beforeAll(async () => {
  for (let seed = 0; seed < SUBNETS; seed++) subnets.push(await new History(seed).make())
}, 300_000)

/** Every flaw's code that was found. */
const codes = new Set<string>()

test.each(Array.from({ length: SUBNETS }, (_, i) => i))(
  'what is found of mutated evidence does not depend on orders or lanes at once: subnet %i',
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
  1_200_000,
)

test('the mutations are such as are found in every way', () => {
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
