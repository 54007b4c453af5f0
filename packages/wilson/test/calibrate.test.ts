import { expect, test } from 'vitest'
import { calibrate } from '../src/index.ts'
import { largest } from './largest.ts'

// calibrate-vectors.test.ts has the published vectors, which have larger caps.

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
    largest({ cap, minTrials, zSquaredPpm: BigInt(hundredths) ** 2n * 100n }).probability
  expect(at(hundredths)).toBeLessThanOrEqual(alpha)
  if (hundredths > 0) expect(at(hundredths - 1)).toBeGreaterThan(alpha)
})
