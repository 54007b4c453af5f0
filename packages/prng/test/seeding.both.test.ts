import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pcg64 } from '../src/generator.ts'
import { SeedSequence } from '../src/seed-sequence.ts'

const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n

/** A sequence that hands out chosen words: no seed is known that would give them. */
class Chosen extends SeedSequence {
  readonly #words: readonly number[]
  constructor(words: readonly number[]) {
    super([])
    this.#words = words
  }
  override generateState(n: number): Uint32Array {
    return Uint32Array.from(this.#words).subarray(0, n)
  }
}

const word = fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff)

test('a generator starts where 128-bit arithmetic says, with every carry there can be', () => {
  const join = (...words: readonly number[]) =>
    words.reduceRight((sum, w) => (sum << 32n) | BigInt(w), 0n)
  fc.assert(
    fc.property(fc.array(word, { minLength: 8, maxLength: 8 }), (words) => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words
      const inc = BigInt.asUintN(128, (join(g, h, e, f) << 1n) | 1n)
      const state = BigInt.asUintN(128, (inc + join(c, d, a, b)) * MULTIPLIER + inc)
      expect(pcg64(new Chosen(words)).state).toMatchObject({ state, inc })
    }),
    { numRuns: 2000, seed: 1 },
  )
})
