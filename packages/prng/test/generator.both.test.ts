import { digest, type Generator, type Json, pcg64, seedWords } from '@affine/prng'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/prng/generator.json' with { type: 'json' }
import longRuns from '../../../vectors/prng/long-run.json' with { type: 'json' }
import seeds from '../../../vectors/prng/seed-words.json' with { type: 'json' }
import { BigIntPcg64 } from '../bench/bigint-pcg64.ts'
import { startGenerator } from '../src/generator.ts'

type Call = [name: string, ...args: number[]]
const errors = { TypeError, RangeError }

/** Makes one call. Returns a bigint as a string of digits. */
function draw(generator: Generator, [name, a, b]: Call): Json {
  if (name === 'uint64') return String(generator.uint64())
  if (name === 'uint32') return generator.uint32()
  if (name === 'random') return generator.random() as Json
  if (name === 'integers') return generator.integers(a as number, b as number)
  return generator.permutation(a as number)
}

describe('draws as NumPy does', () => {
  test.each(vectors)('$what, seed $input.seed', ({ input, want }) => {
    const generator = pcg64(BigInt(input.seed))
    const calls = input.calls as Call[]
    if (want.error !== undefined) {
      const call = () => calls.map((each) => draw(generator, each))
      expect(call).toThrow(errors[want.error as keyof typeof errors])
      if (want.message !== undefined) expect(call).toThrow(want.message)
      expect(generator.uint32()).toBe(pcg64(BigInt(input.seed)).uint32())
      return
    }
    expect(calls.map((call) => draw(generator, call))).toEqual(want.values)
  })

  test.each(longRuns)('$what give one digest in every engine', ({ input, want }) => {
    const generator = pcg64(BigInt(input.seed))
    const values: Json[] = []
    for (let round = 0; round < input.rounds; round++) {
      for (const call of input.calls as Call[]) {
        const value = draw(generator, call)
        values.push(call[0] === 'random' ? (value as number) * 2 ** 53 : value)
      }
    }
    expect(digest('prng', values)).toBe(want.hash)
  })
})

/** Returns draws that depend on a waiting half and on all 128 bits of the state. */
const nextDraws = (generator: Pick<Generator, 'uint32' | 'uint64'>) => [
  generator.uint32(),
  generator.uint32(),
  generator.uint64(),
  generator.uint64(),
]

const anySeed = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })
const anyRange = fc
  .tuple(
    fc.oneof(fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 53 - 2), fc.nat(), fc.maxSafeNat()),
    fc.maxSafeInteger(),
  )
  .map(
    ([offset, end]) => [Math.max(Math.min(end, 2 ** 53 - 1) - offset, 1 - 2 ** 53), end] as const,
  )
  .map(([low, end]) => [low + 0, Math.max(low, end) + 1] as const)

describe('a generator', () => {
  test('draws the numbers of a BigInt implementation', () => {
    const names = ['uint64', 'uint32', 'random', 'integers', 'permutation'] as const
    const calls = fc.array(fc.tuple(fc.constantFrom(...names), anyRange), { maxLength: 30 })
    fc.assert(
      fc.property(anySeed, calls, (seed, sequence) => {
        const [limbs, plain] = [pcg64(seed), new BigIntPcg64(seedWords(seed))]
        for (const [name, range] of sequence) {
          if (name === 'integers') expect(limbs.integers(...range)).toBe(plain.integers(...range))
          else if (name === 'permutation')
            expect(limbs.permutation(5)).toEqual(plain.permutation(5))
          else expect(limbs[name]()).toBe(plain[name]())
        }
        expect(nextDraws(limbs)).toEqual(nextDraws(plain))
      }),
      { numRuns: 500 },
    )
  })

  test('started from eight words, draws the same numbers as 128-bit arithmetic, also with carries', () => {
    const word = fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff)
    fc.assert(
      fc.property(fc.array(word, { minLength: 8, maxLength: 8 }), (words) => {
        const chosen = Uint32Array.from(words)
        expect(nextDraws(startGenerator(chosen))).toEqual(nextDraws(new BigIntPcg64(chosen)))
      }),
      { numRuns: 2000, seed: 1 },
    )
  })
})

test('rejects an invalid seed or range', () => {
  for (const seed of [undefined, null, '1', {}]) {
    expect(() => pcg64(seed as unknown as bigint)).toThrow(
      '"seed" expected an integer in 0..2^128 - 1',
    )
  }
  expect(() => pcg64(1).integers(Number.NaN, 3)).toThrow(RangeError)
  expect(() => pcg64(1).integers(1n as unknown as number, 3)).toThrow(
    '"low, high" expected integers',
  )
})

test.each(seeds)('seedWords agrees with the vector: $what', ({ input, want }) => {
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
