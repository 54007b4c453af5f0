import { canonicalize, digest, digestOfText, type Json } from '@affine/prng'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/prng/digest.json' with { type: 'json' }

const errors = { TypeError, RangeError }

describe('digest', () => {
  test.each(vectors)('agrees with the vector: $what', ({ input, want }) => {
    const call = () => digest(input.tag as string, ...(input.fields as Json[]))
    if (want.error !== undefined) expect(call).toThrow(errors[want.error as keyof typeof errors])
    else expect(call()).toBe(want.hash)
  })

  test('depends on the tag, the fields and the boundaries between fields', () => {
    const fields = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat()), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(fields, fields, (one, other) => {
        const [a, b] = [digest('x', ...one), digest('x', ...other)]
        expect(a).toMatch(/^[0-9a-f]{64}$/)
        expect(a === b).toBe(JSON.stringify(one) === JSON.stringify(other))
        expect(digest('y', ...one)).not.toBe(a)
        expect(digest('x', one)).not.toBe(a)
      }),
    )
  })

  test('computes the digest of a value from its text', () => {
    const value = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.oneof(fc.nat(), fc.boolean()))
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), value, (tag, object) => {
        const text = new TextEncoder().encode(canonicalize(object))
        expect(digestOfText(tag, text)).toBe(digest(tag, object))
        expect(digestOfText(tag, Uint8Array.of(...text, 0x20))).not.toBe(digest(tag, object))
      }),
    )
  })
})
