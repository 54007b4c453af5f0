import fc from 'fast-check'
import type { Bar, Contest, Proportion, Rule } from '../src/index.ts'

const BIG = new Set(['unit', 'zSquaredPpm'])

/** Returns a vector's input with bigints. JSON has numbers, or strings for integers past 2^53. */
export function revive<T extends Partial<Proportion & Bar & Contest>>(input: object): T {
  const entries = Object.entries(input).map(([key, value]) => {
    if (value !== null && typeof value === 'object') return [key, revive(value)]
    return [key, typeof value === 'string' || BIG.has(key) ? BigInt(value) : value]
  })
  return Object.fromEntries(entries)
}

/** Returns a matcher for `toEqual` of numbers within 1e-12 of `want`, absolute or relative. */
export function near(want: number): { asymmetricMatch(got: number): boolean; toString(): string } {
  return {
    asymmetricMatch: (got) => Math.abs(got - want) <= 1e-12 * Math.max(1, want),
    toString: () => `near ${want}`,
  }
}

/** Generates rules with a cap up to `max`, and hold lines that give holds or are too far away. */
export const anyRule = (max: number, zSquaredPpm: fc.Arbitrary<bigint>): fc.Arbitrary<Rule> =>
  fc
    .record({
      cap: fc.integer({ min: 1, max }),
      first: fc.integer({ min: 1, max }),
      zSquaredPpm,
      holdOffset: fc.oneof(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 10_000_000 }),
      ),
      holdSlopePpm: fc.oneof(
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
      ),
    })
    .map(({ first, ...rule }) => ({ ...rule, minTrials: Math.min(rule.cap, first) }))
