import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import vectors from '../../../vectors/duel/evidence.json' with { type: 'json' }
import { judgeEnvironment, PROTOCOL, ruleOf, type Tally } from '../src/index.ts'

test.each(vectors.vectors)('$what', ({ input, want }) => {
  const { outlierZSquared } = ruleOf(PROTOCOL)
  const rule = { ...input.rule, zSquaredPpm: BigInt(input.rule.zSquaredPpm), outlierZSquared }
  const { win, hold, look, ...rest } = judgeEnvironment({
    ...input,
    weights: input.weights as unknown as Record<string, number>,
    tallies: input.tallies as unknown as Record<string, Tally>,
    rule,
  })
  const text = ({ wins, trials }: typeof win) => ({ wins: String(wins), trials: String(trials) })
  expect({ ...rest, win: text(win), hold: text(hold), verdict: look }).toEqual({
    decisivePpm: undefined,
    ...want,
  })
})

const RATIO = 510_000
const tally = fc
  .tuple(fc.nat(400), fc.nat(400), fc.nat(200))
  .map(([wins, losses, ties]) => ({ wins, losses, played: wins + losses + ties }))
const lanes = fc.uniqueArray(
  fc.tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 1, max: 1_000_000 }), tally),
  {
    selector: ([hotkey]) => hotkey,
    minLength: 1,
    maxLength: 12,
  },
)

describe('properties', () => {
  const judge = (entries: readonly (readonly [string, number, Tally])[], outlierZSquared = 36n) =>
    judgeEnvironment({
      weights: Object.fromEntries(entries.map(([hotkey, weight]) => [hotkey, weight])),
      tallies: Object.fromEntries(entries.map(([hotkey, , seen]) => [hotkey, seen])),
      ratioPpm: RATIO,
      rule: { ...ruleOf(PROTOCOL), outlierZSquared },
    })

  it('does not depend on the order of anything', () => {
    fc.assert(
      fc.property(lanes, (entries) => {
        expect(judge([...entries].reverse())).toEqual(judge(entries))
      }),
    )
  })

  it('drops a third of the weight, whatever is set aside', () => {
    fc.assert(
      fc.property(lanes, (entries) => {
        const alike = entries.map(
          ([hotkey, weight]) => [hotkey, weight, { wins: 1, losses: 0, played: 1 }] as const,
        )
        const total = entries.reduce((sum, [, weight]) => sum + BigInt(weight), 0n)
        expect(judge(alike).win.trials).toBe(total - (total + 2n) / 3n)
        expect(judge(alike).hold).toEqual(judge(alike).win)
      }),
    )
  })

  it('lets no coalition up to a third lift what is tested above what the honest lanes say', () => {
    const lead = ({ wins, losses }: Tally) =>
      BigInt(wins) * 1_000_000n - BigInt(wins + losses) * BigInt(RATIO)
    fc.assert(
      fc.property(lanes, tally, (entries, lie) => {
        const third = entries.reduce((sum, [, weight]) => sum + weight, 0) / 3
        let lying = 0
        const told = entries.map(([hotkey, weight, seen]) => {
          if (lying + weight > third) return [hotkey, weight, seen] as const
          lying += weight
          return [hotkey, weight, lie] as const
        })
        const honest = told.filter(([, , seen]) => seen !== lie)
        const { win } = judge(told, 10n ** 12n) // nobody is set aside
        const tested = win.wins * 1_000_000n - win.trials * BigInt(RATIO)
        const truth = honest.reduce(
          (sum, [, weight, seen]) => sum + BigInt(weight) * lead(seen),
          0n,
        )
        if (tested >= 0n) expect(tested).toBeLessThanOrEqual(truth)
      }),
    )
  })
})

test('what is not a count, or not a ratio, is refused', () => {
  const rule = ruleOf(PROTOCOL)
  const of =
    (wins: number, ratioPpm: number, weight = 1) =>
    () =>
      judgeEnvironment({
        weights: { a: weight },
        tallies: { a: { wins, losses: 0, played: 32 } },
        ratioPpm,
        rule,
      })
  for (const call of [of(0.5, RATIO), of(Number.NaN, RATIO), of(1, RATIO, 0.5)])
    expect(call).toThrow(RangeError)
  for (const ratio of [0, 1_000_000, -1, 0.5, Number.NaN]) expect(of(20, ratio)).toThrow(RangeError)
})
