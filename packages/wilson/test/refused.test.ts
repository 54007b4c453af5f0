import { expect, test } from 'vitest'
import refused from '../../../vectors/wilson/refused.json' with { type: 'json' }
import * as wilson from '../src/index.ts'
import { revive } from './vectors.ts'

/** The functions by their names in the vectors. */
const calls = { ...wilson, verdict: wilson.evaluate }

test.each(refused.vectors)('$call rejects $what', ({ call, input, error }) => {
  const refuse = calls[call as 'verdict'] as (input: unknown) => unknown
  expect(() => refuse(typeof input === 'object' ? revive(input) : input)).toThrow(
    new RangeError(error),
  )
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, null, '5'])(
  '`evaluate`, `walk` and `calibrate` reject %s as a number',
  (value) => {
    const bad = value as number
    const line = { holdOffset: 88, holdSlopePpm: 16_000 }
    const rule = { cap: 100, minTrials: 10, zSquaredPpm: 8_122_500n, ...line }
    const calls = [
      () => wilson.evaluate({ wins: bad, trials: 10, ratioPpm: 510_000, rule }),
      () => wilson.evaluate({ wins: 1, trials: 10, ratioPpm: bad, rule }),
      () =>
        wilson.evaluate({ wins: 1, trials: 10, ratioPpm: 510_000, rule: { ...rule, cap: bad } }),
      () => wilson.walk({ p: bad, ratioPpm: 510_000, rule }),
      () => wilson.calibrate({ alpha: bad, cap: 100, minTrials: 10 }),
      () => wilson.calibrate({ alpha: 0.05, cap: bad, minTrials: 10 }),
    ]
    for (const call of calls) expect(call).toThrow(RangeError)
  },
)
