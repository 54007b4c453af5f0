import fc from 'fast-check'
import { expect, test } from 'vitest'
import { make } from '../src/index.ts'

const seed = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

test('only the product is right', () => {
  const env = make('mult8@0.1.0')
  fc.assert(
    fc.property(seed, fc.bigInt(-(10n ** 6n), 10n ** 6n), (seed, off) => {
      const [factors] = env.reset({ seed }) as [[number, number], unknown]
      expect(factors.every((factor) => factor >= 1e7 && factor < 1e8)).toBe(true)
      const product = BigInt(factors[0]) * BigInt(factors[1])
      const [, reward, terminated, truncated] = env.step(env.parse(String(product + off)))
      expect([reward, terminated, truncated]).toEqual([off === 0n ? 1 : 0, true, false])
    }),
  )
})

test('the solver reads the prompt', () => {
  const env = make('mult8@0.1.0')
  fc.assert(
    fc.property(seed, (seed) => {
      const [observation] = env.reset({ seed })
      const [, reward] = env.step(env.parse(env.spec.solve(env.prompt(observation))))
      expect(reward).toBe(1)
    }),
  )
  expect(() => env.spec.solve('Compute it.')).toThrow(TypeError)
})

test('a float product would be wrong', () => {
  // Past 2^53 a double loses the last digit: the judge must not.
  const env = make('mult8@0.1.0')
  const prompt = env.prompt([99_999_999, 99_999_997])
  expect(env.spec.solve(prompt)).toBe('9999999600000003')
  expect(String(99_999_999 * 99_999_997)).not.toBe('9999999600000003')
})
