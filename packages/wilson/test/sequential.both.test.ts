import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import bars from '../../../vectors/wilson/bars.json' with { type: 'json' }
import verdicts from '../../../vectors/wilson/verdicts.json' with { type: 'json' }
import {
  type Bar,
  type Contest,
  evaluate,
  holdLine,
  lowerReaches,
  type Proportion,
  type Rule,
  upperBelow,
} from '../src/index.ts'
import { anyRule, revive } from './vectors.ts'

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

const RULE: Rule = {
  cap: 5000,
  minTrials: 10,
  zSquaredPpm: 8_122_500n,
  holdOffset: 88,
  holdSlopePpm: 16_000,
}
const counts = fc
  .tuple(fc.integer({ min: 0, max: 5200 }), fc.integer({ min: 0, max: 5200 }))
  .map(([a, b]) => ({ wins: Math.min(a, b), trials: Math.max(a, b) }))
const ratioPpm = fc.integer({ min: 1, max: 999_999 })
const zSquaredPpm = fc.bigInt({ min: 0n, max: 30_000_000n })
const unit = fc.bigInt({ min: 1n, max: 10n ** 12n })
const rule = anyRule(6000, zSquaredPpm)

describe('a sequential test', () => {
  test('gives the same result in any unit, and for numbers and bigints', () => {
    fc.assert(
      fc.property(counts, ratioPpm, rule, unit, ({ wins, trials }, ratioPpm, rule, unit) => {
        const plain = evaluate({ wins, trials, ratioPpm, rule })
        expect(evaluate({ wins: BigInt(wins), trials: BigInt(trials), ratioPpm, rule })).toBe(plain)
        expect(
          evaluate({
            wins: BigInt(wins) * unit,
            trials: BigInt(trials) * unit,
            unit,
            ratioPpm,
            rule,
          }),
        ).toBe(plain)
      }),
      { numRuns: 1000 },
    )
  })

  test('returns `hold` before the cap exactly if the formulas in floats do', () => {
    fc.assert(
      fc.property(
        counts,
        fc.integer({ min: 500_000, max: 800_000 }),
        ({ wins, trials }, ratioPpm) => {
          const [rate, { cap, zSquaredPpm }] = [ratioPpm / 1e6, RULE]
          const isEarly = trials >= 10 && trials < cap
          fc.pre(isEarly && !lowerReaches({ wins, trials, ratioPpm, zSquaredPpm }))
          const centre = wins + 8.1225 / 2
          const spread = 2.85 * Math.sqrt((wins * (trials - wins)) / trials + 8.1225 / 4)
          const under = rate - (centre + spread) / (trials + 8.1225)
          const below = (rate + 0.016) * trials - wins - 88 * rate * (1 - rate)
          fc.pre(Math.abs(under) > 1e-9 && Math.abs(below) > 1e-6)
          const want = under > 0 || below > 0
          expect(wins <= holdLine({ trials, ratioPpm, rule: RULE })).toBe(below > 0)
          expect(evaluate({ wins, trials, ratioPpm, rule: RULE })).toBe(want ? 'hold' : 'continue')
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('has as hold line the maximum number of wins that its inequality allows, in any unit', () => {
    fc.assert(
      fc.property(counts, ratioPpm, rule, unit, ({ trials }, ratioPpm, rule, unit) => {
        const n = BigInt(trials) * unit
        const most = holdLine({ trials: n, unit, ratioPpm, rule })
        const r = BigInt(ratioPpm)
        const least = BigInt(rule.holdOffset) * unit * r * (1_000_000n - r)
        const line = (r + BigInt(rule.holdSlopePpm)) * 1_000_000n * n - least
        const isUnder = (wins: bigint): boolean => 10n ** 12n * wins <= line
        expect([most < 0n || isUnder(most), isUnder(most + 1n)]).toEqual([true, false])
      }),
      { numRuns: 1000 },
    )
  })
})
