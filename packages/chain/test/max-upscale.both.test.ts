import fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/chain/max-upscale.json' with { type: 'json' }
import { rescale } from '../src/max-upscale.ts'

const scale = (weights: readonly number[]) =>
  rescale(weights.map((weight, uid) => [uid, weight])).map(([, w]) => w)

test.each(vectors.cases)('the chain makes $want of $input', ({ input, want }) => {
  expect(scale(input)).toEqual(want)
})

test('equals the runtime’s arithmetic: 32.32 fixed point, quotients cut, halves away from zero', () => {
  const one = 1n << 32n
  const model = (weights: readonly number[]) => {
    const top = BigInt(Math.max(...weights))
    if (top === 0n) return weights
    const [whole, cut] = [65_535n * one, (x: bigint) => Number((x + one / 2n) / one)]
    return weights.map((w) =>
      cut(top > 32_768n ? BigInt(w) * (whole / top) : (BigInt(w) * whole) / top),
    )
  }
  const weight = fc.oneof(
    fc.nat(65_535),
    fc.constantFrom(0, 1, 2, 32_767, 32_768, 32_769, 43_690, 65_534, 65_535),
  )
  fc.assert(
    fc.property(fc.array(weight, { minLength: 1, maxLength: 8 }), (weights) => {
      expect(scale(weights)).toEqual(model(weights))
    }),
    { numRuns: 20_000 },
  )
})
