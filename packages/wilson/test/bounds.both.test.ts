import fc from 'fast-check'
import { expect, test } from 'vitest'
import bounds from '../../../vectors/wilson/bounds.json' with { type: 'json' }
import { boundsPpm, ceilRoot, leastAbove, lowerReaches, upperBelow } from '../src/index.ts'

const counts = fc.tuple(fc.nat(5000), fc.nat(5000), fc.integer({ min: 1, max: 12_000_000 }))

test('returns the largest ratio with `lowerReaches`, and the smallest with `upperBelow`', () => {
  fc.assert(
    fc.property(counts, ([wins, losses, z]) => {
      const proportion = { wins, trials: wins + losses, zSquaredPpm: BigInt(z) }
      const { lower, upper } = boundsPpm(proportion)
      const reaches = (ratioPpm: number) => lowerReaches({ ...proportion, ratioPpm })
      const isBelow = (ratioPpm: number) => upperBelow({ ...proportion, ratioPpm })
      if (lower > 0) expect(reaches(lower)).toBe(true)
      if (lower < 999_999) expect(reaches(lower + 1)).toBe(false)
      if (upper < 1_000_000) expect(isBelow(upper)).toBe(true)
      if (upper > 1) expect(isBelow(upper - 1)).toBe(false)
    }),
    { examples: [[[0, 0, 8_122_500]], [[0, 9, 5_760_000]], [[9, 0, 5_760_000]], [[0, 1, 1]]] },
  )
})

const UNIT = 1_000_000n
const scaled = (count: number) =>
  Number.isInteger(count) ? BigInt(count) * UNIT : BigInt(Math.round(count * 1e6))

test.each(bounds.vectors)('bounds $input.wins of $input.trials: $what', ({ input, want }) => {
  const { wins, trials, z } = input
  const zSquaredPpm = BigInt(Math.round(z * z * 1e6))
  const given = { wins: scaled(wins), trials: scaled(trials), unit: UNIT, zSquaredPpm }
  const { lower, upper } = boundsPpm(given)
  expect(Math.abs(lower - 1e6 * want.lower)).toBeLessThan(2)
  expect(Math.abs(upper - 1e6 * want.upper)).toBeLessThan(2)
})

test('returns 0 and 1,000,000 without trials', () => {
  expect(boundsPpm({ wins: 0, trials: 0, zSquaredPpm: 8_122_500n })).toEqual({
    lower: 0,
    upper: 1_000_000,
  })
})

test('finds the least integer by bisection, also at both ends', () => {
  for (let least = 1; least <= 10; least++)
    expect(leastAbove(0, 10, (value) => value >= least)).toBe(least)
  expect(leastAbove(0, 10, () => false)).toBe(10)
})

test('computes roots, rounded up, of integers of any size', () => {
  expect([0n, 1n, 2n, 3n, 4n, 5n, 9n, 10n].map(ceilRoot)).toEqual([0n, 1n, 2n, 2n, 2n, 3n, 3n, 4n])
  fc.assert(
    fc.property(fc.bigInt({ min: 2n, max: 1n << 200n }), (root) => {
      const [square, below] = [root * root, (root - 1n) ** 2n]
      expect([below + 1n, square, square + 1n].map(ceilRoot)).toEqual([root, root, root + 1n])
    }),
  )
})
