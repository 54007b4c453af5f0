import { expect, test } from 'vitest'
import bars from '../../../vectors/wilson/bars.json' with { type: 'json' }
import verdicts from '../../../vectors/wilson/verdicts.json' with { type: 'json' }
import {
  type Bar,
  type Contest,
  evaluate,
  lowerReaches,
  type Proportion,
  upperBelow,
} from '../src/index.ts'
import { revive } from './vectors.ts'

test.each(bars.vectors)(
  'compares the bounds of $input.wins of $input.trials with a ratio: $what',
  ({ input, want }) => {
    const bar = revive<Proportion & Bar>(input)
    expect({ lowerReaches: lowerReaches(bar), upperBelow: upperBelow(bar) }).toEqual(want)
  },
)

test.each(verdicts.vectors)('evaluates $input.wins of $input.trials: $what', ({ input, want }) => {
  expect(evaluate(revive<Proportion & Contest>(input))).toBe(want)
})

test('gives the checksum of Python for 104,328 evaluations', () => {
  const codes = { win: 0, hold: 1, continue: 2 }
  const LINE = { holdOffset: 28, holdSlopePpm: 50_600 }
  let hash = 0x811c9dc5 // FNV-1a, 32 bits
  for (const ratioPpm of [500_000, 510_000, 623_456, 800_000]) {
    for (const zSquaredPpm of [8_122_500n, 2_706_025n]) {
      const rule = { ...LINE, cap: 150, minTrials: 10, zSquaredPpm }
      for (let trials = 0; trials <= 160; trials++) {
        for (let wins = 0; wins <= trials; wins++) {
          hash = Math.imul(hash ^ codes[evaluate({ wins, trials, ratioPpm, rule })], 16_777_619)
        }
      }
    }
  }
  expect(hash >>> 0).toBe(verdicts.checksum)
})
