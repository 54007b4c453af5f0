import { pcg64 } from '@affine/prng'
import { describe, expect, test } from 'vitest'
import { spaces } from '../src/index.ts'

const all = [
  spaces.Discrete(9),
  spaces.Text({ minLength: 2, maxLength: 4, charset: 'ab' }),
  spaces.Box({ low: -1, high: 2, length: 3 }),
]

describe.each(all)('$description', (space) => {
  test('contains its samples, which follow from the seed', () => {
    const [left, right] = [pcg64(1), pcg64(1)]
    for (let draw = 0; draw < 1000; draw++) {
      const sample = space.sample(left)
      expect(space.contains(sample)).toBe(true)
      expect(space.sample(right)).toEqual(sample)
    }
  })
})

test('a space contains its members, and no other value', () => {
  const [discrete, text, box] = all as [
    (typeof all)[number],
    (typeof all)[number],
    (typeof all)[number],
  ]
  expect(
    [0, 8, -1, 9, 0.5, '1', Number.NaN, 1n, [1], null].map((value) => discrete.contains(value)),
  ).toEqual([true, true, ...Array(8).fill(false)])
  expect(
    ['ab', 'abab', 'a', 'ababa', 'ac', 'aB', ['a', 'b'], null].map((value) => text.contains(value)),
  ).toEqual([true, true, ...Array(6).fill(false)])
  expect(
    [[-1, 0, 2], [0, 0], [0, 0, 3], [0, 0, 0, 0], Array(3), [0, 0, 0.5], '012', { length: 3 }].map(
      (value) => box.contains(value),
    ),
  ).toEqual([true, ...Array(7).fill(false)])
})
