import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/wilson/calibrate.json' with { type: 'json' }
import { calibrate, crossing } from '../src/index.ts'

/** The largest crossing probability over the ratios that `calibrate` promises, and where it is. */
function largest(rule: Parameters<typeof crossing>[0]['rule']): {
  probability: number
  ratioPpm: number
} {
  let most = { probability: 0, ratioPpm: 0 }
  for (let ratioPpm = 500_000; ratioPpm <= 950_000; ratioPpm += 1_000) {
    const probability = crossing({ p: ratioPpm / 1e6, ratioPpm, rule })
    if (probability > most.probability) most = { probability, ratioPpm }
  }
  return most
}

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

test.each([
  { alpha: 0.05, cap: 60, minTrials: 10 },
  { alpha: 0.01, cap: 120, minTrials: 1 },
  { alpha: 0.3, cap: 40, minTrials: 40 },
  { alpha: 0.999, cap: 5, minTrials: 1 },
  { alpha: 1e-9, cap: 30, minTrials: 5 },
])('the least: z keeps alpha and a hundredth less does not, %o', ({ alpha, cap, minTrials }) => {
  const hundredths = Math.round(100 * calibrate({ alpha, cap, minTrials }))
  const at = (hundredths: number) =>
    largest({ cap, minTrials, zSquaredPpm: BigInt(hundredths) ** 2n * 100n }).probability
  expect(at(hundredths)).toBeLessThanOrEqual(alpha)
  if (hundredths > 0) expect(at(hundredths - 1)).toBeGreaterThan(alpha)
})

test('the protocol: alpha holds at 5000 and z = 2.85, tightest at R = 0.505, also between the thousandths there', () => {
  const rule = { cap: 5000, minTrials: 10, zSquaredPpm: 8_122_500n }
  expect(largest(rule).ratioPpm).toBe(505_000)
  for (let ratioPpm = 505_000; ratioPpm <= 505_500; ratioPpm += 13) {
    expect(crossing({ p: ratioPpm / 1e6, ratioPpm, rule })).toBeLessThan(0.0493)
  }
})
