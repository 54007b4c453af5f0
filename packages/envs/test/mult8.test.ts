import fc from 'fast-check'
import { expect, test } from 'vitest'
import { make } from '../src/index.ts'

const env = make('mult8@0.1.0')

test('rewards only the product, which the solver computes from the prompt', () => {
  const anySeed = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })
  fc.assert(
    fc.property(anySeed, fc.bigInt(-(10n ** 6n), 10n ** 6n), (seed, off) => {
      const [factors] = env.reset({ seed }) as [[number, number], unknown]
      expect(factors.every((factor) => factor >= 1e7 && factor < 1e8)).toBe(true)
      const product = BigInt(factors[0]) * BigInt(factors[1])
      expect(env.spec.solve(env.prompt(factors))).toBe(String(product))
      const [, reward, terminated, truncated] = env.step(env.parse(String(product + off)))
      expect([reward, terminated, truncated]).toEqual([off === 0n ? 1 : 0, true, false])
    }),
  )
  expect(() => env.spec.solve('Compute it.')).toThrow(TypeError)
})
