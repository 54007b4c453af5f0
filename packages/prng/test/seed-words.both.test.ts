import { seedWords } from '@affine/prng'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/prng/seed-words.json' with { type: 'json' }

const errors = { TypeError, RangeError }

test.each(vectors)('seedWords agrees with the vector: $what', ({ input, want }) => {
  // The vectors write bigints as strings of digits.
  const seed = (typeof input.seed === 'string' ? BigInt(input.seed) : input.seed) as bigint
  if (want.error === undefined) {
    expect([...seedWords(seed)]).toEqual(want.words)
    return
  }
  expect(() => seedWords(seed)).toThrow(errors[want.error as keyof typeof errors])
  if (want.message !== undefined) expect(() => seedWords(seed)).toThrow(want.message)
})

test('rejects a seed that is not a finite number or a bigint', () => {
  for (const seed of [undefined, '1', Symbol('1'), () => 1])
    expect(() => seedWords(seed as unknown as bigint)).toThrow(TypeError)
  for (const seed of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => seedWords(seed)).toThrow(RangeError)
})
