import { expect, test } from 'vitest'
import { calibrate, crossing, type WinRule } from '../src/index.ts'

/** Returns the largest crossing probability over the calibrated ratios. */
function largest(rule: WinRule): number {
  const ratios = Array.from({ length: 451 }, (_, i) => 500_000 + 1000 * i)
  return Math.max(...ratios.map((ratioPpm) => crossing({ p: ratioPpm / 1e6, ratioPpm, rule })))
}

test.each([
  { alpha: 0.05, cap: 60, minTrials: 10 },
  { alpha: 0.01, cap: 120, minTrials: 1 },
  { alpha: 0.3, cap: 40, minTrials: 40 },
  { alpha: 0.999, cap: 5, minTrials: 1 },
  { alpha: 1e-9, cap: 30, minTrials: 5 },
  { alpha: 0.01, cap: 4, minTrials: 4 }, // the largest z that a cap can need
  { alpha: 0.9495, cap: 1, minTrials: 1 }, // within alpha at every R except the last
])('returns the least z, to a hundredth, with P at most alpha: %o', ({ alpha, cap, minTrials }) => {
  const hundredths = Math.round(100 * calibrate({ alpha, cap, minTrials }))
  const at = (hundredths: number) =>
    largest({ cap, minTrials, zSquaredPpm: BigInt(hundredths) ** 2n * 100n })
  expect(at(hundredths)).toBeLessThanOrEqual(alpha)
  if (hundredths > 0) expect(at(hundredths - 1)).toBeGreaterThan(alpha)
})
