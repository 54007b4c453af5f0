import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crossing, evaluate, type Walk, walk } from '../src/index.ts'
import { anyRule, near } from './vectors.ts'

// walk-vectors.both.test.ts has the published vectors, which have larger caps.

type Ends = Record<'win' | 'hold', number[]>

/** Computes the end of a walk from every path of a few trials. */
function everyPath({ p, ratioPpm, rule }: Walk): Ends {
  const none = Array<number>(rule.cap + 1).fill(0)
  const ends: Ends = { win: [...none], hold: [...none] }
  const follow = (wins: number, trials: number, mass: number): void => {
    const is = evaluate({ wins, trials, ratioPpm, rule })
    if (is !== 'continue') {
      ends[is][trials]! += mass
      return
    }
    follow(wins + 1, trials + 1, mass * p)
    follow(wins, trials + 1, mass * (1 - p))
  }
  follow(0, 0, 1)
  return ends
}

const sum = (shares: Iterable<number>): number => [...shares].reduce((all, share) => all + share, 0)

const small: fc.Arbitrary<Walk> = fc.record({
  p: fc.double({ min: 0, max: 1, noNaN: true }),
  ratioPpm: fc.integer({ min: 1, max: 999_999 }),
  rule: anyRule(12, fc.bigInt({ min: 0n, max: 9_000_000n })),
})

describe('a walk', () => {
  test('is the sum over every path', () => {
    fc.assert(
      fc.property(small, (input) => {
        const [end, { win, hold }] = [walk(input), everyPath(input)]
        expect([...end.winAt]).toEqual(win.map(near))
        expect([...end.holdAt]).toEqual(hold.map(near))
        expect(end.win).toBeCloseTo(sum(win), 12)
        expect(end.hold).toBeCloseTo(sum(hold), 12)
        const expected = sum(win.map((share, n) => n * (share + hold[n]!)))
        expect(end.expectedTrials).toBeCloseTo(expected, 11)
      }),
    )
  })

  test('wins or holds; P(win) is at most P(crossing), and does not fall as p rises', () => {
    fc.assert(
      fc.property(small, fc.double({ min: 0, max: 1, noNaN: true }), (input, other) => {
        const end = walk(input)
        expect(end.win + end.hold).toBeCloseTo(1, 12)
        expect([sum(end.winAt), sum(end.holdAt)]).toEqual([near(end.win), near(end.hold)])
        expect(end.medianTrials).toBeLessThanOrEqual(end.trials95)
        expect(end.trials95).toBeLessThanOrEqual(input.rule.cap)
        expect(crossing(input)).toBeGreaterThanOrEqual(end.win - 1e-12)
        const stronger = { ...input, p: Math.max(input.p, other) }
        expect(walk(stronger).win).toBeGreaterThanOrEqual(
          walk({ ...input, p: Math.min(input.p, other) }).win - 1e-12,
        )
      }),
    )
  })
})
