import { pcg64 } from '@affine/prng'
import { expect, test } from 'vitest'
import { spaces } from '../src/index.ts'

const discrete = spaces.Discrete(9)
const text = spaces.Text({ minLength: 2, maxLength: 4, charset: 'ab' })
const box = spaces.Box({ low: -1, high: 2, length: 3 })

test.each<{
  description: string
  contains: (value: unknown) => boolean
  members: unknown[]
  others: unknown[]
}>([
  { ...discrete, members: [0, 8], others: [-1, 9, 0.5, '1', Number.NaN, 1n, [1], null] },
  { ...text, members: ['ab', 'abab'], others: ['a', 'ababa', 'ac', 'aB', ['a', 'b'], null] },
  {
    ...box,
    members: [[-1, 0, 2]],
    others: [[0, 0], [0, 0, 3], [0, 0, 0, 0], Array(3), [0, 0, 0.5], '012', { length: 3 }],
  },
])('$description contains its members, and no other value', ({ contains, members, others }) => {
  expect([members.filter(contains), others.filter(contains)]).toEqual([members, []])
})

test.each([discrete, text, box])(
  '$description contains its samples, which follow from the seed',
  (space) => {
    const [left, right] = [pcg64(1), pcg64(1)]
    for (let draw = 0; draw < 1000; draw++) {
      const sample = space.sample(left)
      expect(space.contains(sample)).toBe(true)
      expect(space.sample(right)).toEqual(sample)
    }
  },
)
