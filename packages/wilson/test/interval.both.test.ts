import fc from 'fast-check'
import { expect, test } from 'vitest'
import bounds from '../../../vectors/wilson/bounds.json' with { type: 'json' }
import { intervalOf } from '../src/index.ts'
import { ulps } from './vectors.ts'

test.each(bounds.vectors)('$what: $input.wins of $input.trials, z $input.z', ({ input, want }) => {
  const { lower, upper } = intervalOf(input)
  expect(ulps(lower, want.lower)).toBeLessThanOrEqual(4)
  expect(ulps(upper, want.upper)).toBeLessThanOrEqual(4)
})

const tally = fc
  .record({
    trials: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ trials, share }) => ({ trials, wins: Math.min(trials, trials * share) }))
const z = fc.double({ min: 0, max: 50, noNaN: true })

test('the bounds are in order and mirror each other', () => {
  fc.assert(
    fc.property(tally, z, ({ wins, trials }, z) => {
      const { lower, upper } = intervalOf({ wins, trials, z })
      const mirror = intervalOf({ wins: trials - wins, trials, z })
      const rate = wins / trials
      expect(lower).toBeGreaterThanOrEqual(0)
      expect(upper).toBeLessThanOrEqual(1)
      expect(lower).toBeLessThanOrEqual(rate * (1 + 1e-15))
      expect(upper).toBeGreaterThanOrEqual(rate * (1 - 1e-15))
      expect(Math.abs(lower + mirror.upper - 1)).toBeLessThan(1e-12)
    }),
  )
})

test('nothing but wins ends at exactly 1, nothing but losses at exactly 0', () => {
  fc.assert(
    fc.property(tally, z, ({ trials }, z) => {
      expect(intervalOf({ wins: trials, trials, z }).upper).toBe(1)
      expect(intervalOf({ wins: 0, trials, z }).lower).toBe(0)
    }),
  )
})
