import fc from 'fast-check'
import { expect, test } from 'vitest'
import quantiles from '../../../vectors/wilson/quantiles.json' with { type: 'json' }
import { normalQuantile } from '../src/index.ts'
import { ulps } from './vectors.ts'

const density = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)

test.each(quantiles.vectors)('$what $input', ({ input, want }) => {
  if (input.p !== undefined)
    return expect(ulps(normalQuantile(input.p), want)).toBeLessThanOrEqual(4)
  // The decimal alpha is not a double: half a unit of its last place moves z by that over the
  // density.
  const { alpha } = input
  const slack = (alpha * 2 ** -53) / density(want) + 4 * want * 2 ** -52
  expect(Math.abs(-normalQuantile(alpha) - want)).toBeLessThanOrEqual(slack)
})

const p = fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true })

test('both tails alike, to the bit', () => {
  fc.assert(
    fc.property(p, (p) => {
      fc.pre(1 - (1 - p) === p && p !== 0.5)
      expect(normalQuantile(1 - p)).toBe(-normalQuantile(p))
    }),
  )
  expect(normalQuantile(0.5)).toBe(0)
})

test('it rises with p, across the seam too', () => {
  const near = fc.oneof(
    p,
    fc.double({ min: 0.1599, max: 0.1601, noNaN: true }),
    fc.double({ min: 0.8399, max: 0.8401, noNaN: true }),
  )
  fc.assert(
    fc.property(near, near, (a, b) => {
      const [low, high] = [normalQuantile(Math.min(a, b)), normalQuantile(Math.max(a, b))]
      expect(low).toBeLessThanOrEqual(high + 1e-15 * Math.abs(high))
    }),
    { numRuns: 1000 },
  )
})
