import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluate, lowerReaches } from '../src/index.ts'
import { holdBoundary, winBoundary } from '../src/walk.ts'
import { anyRule } from './vectors.ts'

// With z of 0, 1/4, 1 and 3, many counts are exactly on the boundary.
const zSquaredPpm = fc.oneof(
  fc.bigInt({ min: 0n, max: 30_000_000n }),
  fc.constantFrom(0n, 62_500n, 1_000_000n, 9_000_000n),
)
const rule = anyRule(60, zSquaredPpm)
const ratioPpm = fc.oneof(
  fc.integer({ min: 1, max: 999_999 }),
  fc.constantFrom(200_000, 500_000, 640_000, 800_000),
)

test('computes both boundaries as `evaluate` does, for every count', () => {
  fc.assert(
    fc.property(rule, ratioPpm, (rule, ratioPpm) => {
      const [win, hold] = [winBoundary(ratioPpm, rule), holdBoundary(ratioPpm, rule)]
      expect([win.length, hold.length]).toEqual([rule.cap + 1, rule.cap + 1])
      for (let trials = 0; trials <= rule.cap; trials++) {
        for (let wins = 0; wins <= trials; wins++) {
          const want = wins >= win[trials]! ? 'win' : wins <= hold[trials]! ? 'hold' : 'continue'
          const found = evaluate({ wins, trials, ratioPpm, rule })
          if (found !== want) expect.fail(`${wins} of ${trials}: ${found}, expected ${want}`)
        }
      }
    }),
  )
})

test.each([
  [9_000_000n, 500_000],
  [9_000_001n, 500_000], // just above the row before, in which counts are exactly on the boundary
  [8_122_500n, 510_000],
  [6_250_000n, 200_000],
  [4_000_000n, 800_000],
  [93_000_000n, 70_000], // a tie at 7 of 7, for which floats give more than 7
])(
  'computes the exact win boundary up to n = 20,000, for z^2 = %s ppm and R = %s ppm',
  (zSquaredPpm, ratioPpm) => {
    const boundary = winBoundary(ratioPpm, { cap: 20_000, minTrials: 1, zSquaredPpm })
    for (let trials = 1; trials <= 20_000; trials++) {
      const wins = boundary[trials]!
      const reaches = (wins: number) => lowerReaches({ wins, trials, ratioPpm, zSquaredPpm })
      if ((wins <= trials && !reaches(wins)) || reaches(wins - 1))
        expect.fail(`${wins} of ${trials}`)
    }
  },
)
