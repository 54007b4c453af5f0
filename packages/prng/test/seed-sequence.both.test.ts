import { seedSequence } from '@affine/prng'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/prng/seed-sequence.json' with { type: 'json' }

const errors = { TypeError, RangeError }

describe('seedSequence', () => {
  test.each(vectors)('$what', ({ input, want }) => {
    // A string of digits stands for a bigint.
    const seed = (typeof input.seed === 'string' ? BigInt(input.seed) : input.seed) as bigint
    if (want.error !== undefined) {
      const call = () => seedSequence(seed).generateState(input.words as number)
      expect(call).toThrow(errors[want.error as keyof typeof errors])
      if (want.message !== undefined) expect(call).toThrow(want.message)
      return
    }
    const sequence = seedSequence(seed)
    expect([...sequence.generateState(want.uint32?.length ?? 0)]).toEqual(want.uint32)
    expect([...sequence.generateState64(want.uint64?.length ?? 0)].map(String)).toEqual(want.uint64)
  })

  test('gives the same words however many are asked for, in either width', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), fc.nat({ max: 40 }), (seed, n) => {
        const sequence = seedSequence(seed)
        const words = sequence.generateState(80)
        expect(sequence.generateState(n)).toEqual(words.slice(0, n))
        const pairs = Array.from(
          { length: n },
          (_, i) => (BigInt(words[2 * i + 1]!) << 32n) | BigInt(words[2 * i]!),
        )
        expect([...sequence.generateState64(n)]).toEqual(pairs)
      }),
    )
  })

  test('refuses what is not a number or a bigint', () => {
    for (const seed of [undefined, '1', Symbol('1'), () => 1]) {
      expect(() => seedSequence(seed as unknown as bigint)).toThrow(TypeError)
    }
    for (const seed of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => seedSequence(seed)).toThrow(RangeError)
  })
})
