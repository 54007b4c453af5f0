import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/wilson/walk.json' with { type: 'json' }
import { holdBoundary, winBoundary } from '../src/boundary.ts'
import { calibrate, crossing, intervalOf, type Rule, type Walk, walk } from '../src/index.ts'
import { absorb } from '../src/walk.ts'
import { near, revive } from './vectors.ts'

/**
 * The published vectors' HOLD: `need` without the ceiling. Their nearest tie is 9e-5 away, so
 * floats do.
 */
function unroundedHold(ratioPpm: number, { cap, minTrials, zSquaredPpm }: Rule): Int32Array {
  const [rate, z] = [ratioPpm / 1e6, Math.sqrt(Number(zSquaredPpm) / 1e6)]
  const need = cap * rate + z * Math.sqrt(cap * rate * (1 - rate))
  const boundary = new Int32Array(cap + 1).fill(-1)
  for (let trials = minTrials; trials <= cap; trials++) {
    let wins = boundary[trials - 1]!
    const holds = (wins: number) =>
      wins + (cap - trials) * intervalOf({ wins, trials, z }).upper < need
    while (wins < trials && holds(wins + 1)) wins++
    boundary[trials] = wins
  }
  boundary[cap] = winBoundary(ratioPpm, { cap, minTrials, zSquaredPpm })[cap]! - 1
  return boundary
}

describe('vectors', () => {
  test.each(vectors.vectors)('p $input.p, R $input.ratioPpm: $what', ({ what, input, want }) => {
    const { p, ratioPpm, rule } = revive<Walk>(input)
    const win = winBoundary(ratioPpm, rule)
    const rounded = what === 'the rule as written'
    const hold = rounded ? holdBoundary(ratioPpm, rule) : unroundedHold(ratioPpm, rule)
    const end = absorb(p, win, hold)
    expect(end).toMatchObject({
      win: near(want.win),
      hold: near(want.hold),
      expectedTrials: near(want.expectedTrials),
      medianTrials: want.medianTrials,
      trials95: want.trials95,
    })
    expect(crossing({ p, ratioPpm, rule })).toEqual(near(want.crossing))
    if (rounded) expect(walk({ p, ratioPpm, rule })).toEqual(end)
  })

  test.each(vectors.vectors)(
    'p $input.p, R $input.ratioPpm: the ceiling costs under 0.001 of power',
    ({ input, want }) => {
      const end = walk(revive<Walk>(input))
      expect(want.win - end.win).toBeGreaterThan(-1e-12)
      expect(want.win - end.win).toBeLessThan(0.001)
      expect(Math.abs(end.expectedTrials / want.expectedTrials - 1)).toBeLessThan(0.003)
    },
  )
})

test('the protocol’s z for cap 500', () => {
  expect(calibrate({ alpha: 0.05, cap: 500, minTrials: 10 })).toBe(2.67)
})
