import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/wilson/calibrate.json' with { type: 'json' }
import { calibrate, crossing } from '../src/index.ts'
import { largest } from './largest.ts'

describe('vectors', () => {
  test.each(vectors.vectors)(
    'cap $input.cap: $what',
    ({ input: { alpha, cap, minTrials, zSquaredPpm }, want }) => {
      if (alpha !== undefined) return expect(calibrate({ alpha, cap, minTrials })).toBe(want)
      const { probability } = largest({ cap, minTrials, zSquaredPpm: BigInt(zSquaredPpm) })
      expect(probability).toBeCloseTo(want, 5)
    },
  )
})

test('stays below alpha at cap 5000 and z = 2.85, also between thousandths near R = 0.505', () => {
  const rule = { cap: 5000, minTrials: 10, zSquaredPpm: 8_122_500n }
  expect(largest(rule).ratioPpm).toBe(505_000)
  for (let ratioPpm = 505_000; ratioPpm <= 505_500; ratioPpm += 13) {
    expect(crossing({ p: ratioPpm / 1e6, ratioPpm, rule })).toBeLessThan(0.0493)
  }
})
