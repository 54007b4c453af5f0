import type { Json } from '@affine/prng'
import fc from 'fast-check'

const wellFormed = fc.string({ unit: 'grapheme' })
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    wellFormed,
    fc.maxSafeInteger().map((n) => n + 0),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(wellFormed, fc.nat({ max: 20 }).map(String)), tie('value'), {
      maxKeys: 5,
    }),
  ),
}))

/** Generates values with a canonical text. */
export const anyJson: fc.Arbitrary<Json> = value
