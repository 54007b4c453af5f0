import { digest, type Generator, type Json, pcg64, seedSequence } from '@affine/prng'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/prng/generator.json' with { type: 'json' }
import longRuns from '../../../vectors/prng/long-run.json' with { type: 'json' }
import { BigIntPcg64 } from '../bench/bigint-pcg64.ts'

type Call = [name: string, ...args: number[]]
const errors = { TypeError, RangeError }

/** `shuffle` n stands for shuffling 0 to n - 1; a bigint is told in digits. */
function draw(generator: Generator, [name, a, b]: Call): Json {
  if (name === 'uint64') return String(generator.uint64())
  if (name === 'uint32') return generator.uint32()
  if (name === 'random') return generator.random() as Json
  if (name === 'integers') return generator.integers(a as number, b as number)
  if (name === 'choice') return generator.choice(a as number)
  if (name === 'permutation') return generator.permutation(a as number)
  const array = Array.from({ length: a as number }, (_, i) => i)
  generator.shuffle(array)
  return array
}

function stateOf({ state: { state, inc, ...half } }: Generator) {
  return { state: String(state), inc: String(inc), ...half }
}

describe('as NumPy draws', () => {
  test.each(vectors)('$what, seed $input.seed', ({ input, want }) => {
    const generator = pcg64(BigInt(input.seed))
    const calls = input.calls as Call[]
    if (want.error !== undefined) {
      const before = generator.state
      const call = () => calls.map((each) => draw(generator, each))
      expect(call).toThrow(errors[want.error as keyof typeof errors])
      expect(call).toThrow(want.message ?? ' expected ')
      expect(generator.state).toEqual(before)
      return
    }
    expect(calls.map((call) => draw(generator, call))).toEqual(want.values)
    expect(stateOf(generator)).toEqual(want.state)
  })

  test.each(longRuns)('$what have one digest in every engine', ({ input, want }) => {
    const generator = pcg64(BigInt(input.seed))
    const values: Json[] = []
    for (let round = 0; round < input.rounds; round++) {
      for (const call of input.calls as Call[]) {
        const value = draw(generator, call)
        values.push(call[0] === 'random' ? (value as number) * 2 ** 53 : value)
      }
    }
    expect(digest('prng', values)).toBe(want.hash)
    expect(stateOf(generator)).toEqual(want.state)
  })
})

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

describe('properties', () => {
  test('limbs draw what BigInt draws', () => {
    const names = ['uint64', 'uint32', 'random', 'integers', 'shuffle'] as const
    const calls = fc.array(fc.tuple(fc.constantFrom(...names), anyRange), { maxLength: 30 })
    fc.assert(
      fc.property(anySeed, calls, (seed, sequence) => {
        const [limbs, plain] = [pcg64(seed), new BigIntPcg64(seed)]
        for (const [name, range] of sequence) {
          if (name === 'integers') expect(limbs.integers(...range)).toBe(plain.integers(...range))
          else if (name !== 'shuffle') expect(limbs[name]()).toBe(plain[name]())
          else {
            const [mine, theirs] = [
              [1, 2, 3, 4, 5],
              [1, 2, 3, 4, 5],
            ]
            limbs.shuffle(mine)
            plain.shuffle(theirs)
            expect(mine).toEqual(theirs)
          }
        }
        expect(limbs.state).toMatchObject({
          state: plain.state,
          inc: plain.inc,
          hasUint32: plain.waiting >= 0,
        })
      }),
      { numRuns: 500 },
    )
  })

  test('a seed sequence, its bigint and its number are one seed, and each generator has its own stream', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (seed) => {
        const [a, b, c] = [pcg64(seed), pcg64(BigInt(seed)), pcg64(seedSequence(seed))]
        const draws = [a.uint64(), a.uint64()]
        expect([b.uint64(), b.uint64()]).toEqual(draws)
        expect([c.uint64(), c.uint64()]).toEqual(draws)
      }),
    )
  })
})

test('a lower bound of -0 gives zero', () => {
  expect(pcg64(1).integers(-0, 1)).toBe(0)
})

test('the state is a copy, and reading it draws nothing', () => {
  const generator = pcg64(3n)
  const before = generator.state
  generator.uint32()
  expect(generator.state).not.toEqual(before)
  expect(before).toEqual(pcg64(3n).state)
})

test('what is not an array or a seed is refused', () => {
  for (const array of [undefined, null, 'abc', { length: 2 }, new Set([1])]) {
    expect(() => pcg64(1).shuffle(array as unknown as number[])).toThrow(
      '"array" expected an array',
    )
  }
  for (const seed of [undefined, null, '1', {}]) {
    expect(() => pcg64(seed as unknown as bigint)).toThrow('"seed" expected a non-negative integer')
  }
  expect(() => pcg64(1).integers(Number.NaN, 3)).toThrow(RangeError)
  expect(() => pcg64(1).integers(1n as unknown as number, 3)).toThrow(
    '"low, high" expected integers',
  )
})
