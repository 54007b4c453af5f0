import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import compactText from '../../../vectors/duel/compact.json?raw'
import named from '../../../vectors/duel/evidence.json' with { type: 'json' }
import {
  findWinLack,
  judgeEnvironment,
  LOCAL,
  makeSoleRule,
  PROTOCOL,
  type Tallies,
  type Tally,
  type Weights,
} from '../src/index.ts'
import { mapValues } from '../src/own-keys.ts'
import { readTally, scored } from './subnet.ts'

const digits = (counts: object) => mapValues(counts as Record<string, bigint>, String)

it.each(named.vectors)('judges the named vector: $what', ({ input, want }) => {
  const {
    interimResult,
    win,
    hold,
    score,
    shown: _shown,
    ...rest
  } = judgeEnvironment({
    weights: input.weights as unknown as Weights,
    epochs: input.epochs as unknown as Tallies[],
    ratioPpm: input.ratioPpm,
    rule: { outlierZSquared: PROTOCOL.outlierZSquared, ...input.rule },
  })
  const { unit: _, ...won } = win
  const { unit: __, ...held } = hold
  const seen = { win: digits(won), hold: digits(held), score: digits(score) }
  expect({ ...rest, ...seen, verdict: interimResult }).toEqual({ median: undefined, ...want })
})

interface CompactVector {
  readonly weights: Weights
  readonly epochs: readonly Readonly<Record<string, readonly number[]>>[]
  readonly ratio: number
  readonly rule: number
  readonly want: object
}

test('two thousand judgements equal those of a second implementation', () => {
  const rules = [PROTOCOL, LOCAL, makeSoleRule(PROTOCOL)]
  // Read as text: the compiler takes longer to infer the types of this JSON than for the whole
  // project.
  const compact: { readonly vectors: readonly CompactVector[] } = JSON.parse(compactText)
  const seen = compact.vectors.map(({ weights, epochs, ratio, rule }) => {
    const evidence = judgeEnvironment({
      weights,
      epochs: epochs.map((lanes) => mapValues(lanes, readTally)),
      ratioPpm: ratio,
      rule: rules[rule] ?? PROTOCOL,
    })
    const { setAside, win, hold, score, interimResult, median, rates } = evidence
    return {
      setAside,
      win: [String(win.wins), String(win.trials)],
      hold: [String(hold.wins), String(hold.trials)],
      score: [String(score.lead), String(score.spread)],
      rates: [rates.contender, rates.champion],
      verdict: interimResult,
      ...(median && { median: [median.trials, median.played] }),
    }
  })
  expect(seen.length).toBe(2000)
  expect(seen).toEqual(compact.vectors.map(({ want }) => want))
})

const RATIO = 510_000
const tally = fc
  .tuple(fc.nat(400), fc.nat(400), fc.nat(200))
  .map(([wins, losses, ties]) => scored({ wins, losses, played: wins + losses + ties }))
const lanes = fc.uniqueArray(
  fc.tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 1, max: 1_000_000 }), tally),
  {
    selector: ([hotkey]) => hotkey,
    minLength: 1,
    maxLength: 12,
  },
)

const judge = (entries: readonly (readonly [string, number, Tally])[], outlierZSquared = 36) =>
  judgeEnvironment({
    weights: Object.fromEntries(entries.map(([hotkey, weight]) => [hotkey, weight])),
    epochs: [Object.fromEntries(entries.map(([hotkey, , seen]) => [hotkey, seen]))],
    ratioPpm: RATIO,
    rule: { ...PROTOCOL, outlierZSquared },
  })

/**
 * Returns the lanes, each marked as honest or not. As many lanes as fit in a third of the weight
 * report the tally `lie`.
 */
const withLies = (entries: readonly (readonly [string, number, Tally])[], lie: Tally) => {
  const third = entries.reduce((sum, [, weight]) => sum + weight, 0) / 3
  let lying = 0
  return entries.map(([hotkey, weight, seen]) => {
    if (lying + weight > third) return { entry: [hotkey, weight, seen] as const, honest: true }
    lying += weight
    return { entry: [hotkey, weight, lie] as const, honest: false }
  })
}
const lead = ({ wins, losses }: Tally) =>
  BigInt(wins) * 1_000_000n - BigInt(wins + losses) * BigInt(RATIO)

it('lets no liars of up to a third of the weight raise the tally trimmed for a win above the honest tally', () => {
  fc.assert(
    fc.property(lanes, tally, (entries, lie) => {
      const reports = withLies(entries, lie)
      const { win } = judge(
        reports.map(({ entry }) => entry),
        10 ** 12, // no lane is set aside
      )
      const tested = win.wins * 1_000_000n - win.trials * BigInt(RATIO)
      const truth = reports
        .filter(({ honest }) => honest)
        .reduce((sum, { entry: [, weight, seen] }) => sum + BigInt(weight) * lead(seen), 0n)
      // Without trials or without a lead, the trimmed tally is no win.
      if (win.trials > 0n && tested >= 0n) expect(tested).toBeLessThanOrEqual(truth)
    }),
  )
})

test('a score of exactly z deviations wins, and a lower score does not', () => {
  const win = { wins: 10n ** 7n, trials: 10n ** 7n, unit: 10n ** 6n }
  const rule = PROTOCOL // z is 2.45
  const lackAt = (lead: bigint, spread: bigint) =>
    findWinLack({ win, score: { lead, spread } }, rule)
  expect([lackAt(245n, 10_000n), lackAt(245n, 10_001n)]).toEqual([undefined, 'CLOSE'])
  expect([lackAt(0n, 10_000n), lackAt(-245n, 10_000n)]).toEqual(['BEHIND', 'BEHIND'])
  const few = { ...win, trials: 10n ** 7n - 1n }
  expect(findWinLack({ win: few, score: { lead: 245n, spread: 1n } }, rule)).toBe('FEW')
})

test('rejects an invalid count, weight or ratio', () => {
  const rule = PROTOCOL
  const of =
    (wins: number, ratioPpm: number, weight = 1_000_000) =>
    () =>
      judgeEnvironment({
        // Four lanes with 20 wins each win the environment.
        weights: mapValues({ a: 0, b: 0, c: 0, d: 0 }, () => weight),
        epochs: [
          mapValues({ a: 0, b: 0, c: 0, d: 0 }, () => scored({ wins, losses: 0, played: 32 })),
        ],
        ratioPpm,
        rule,
      })
  for (const call of [of(0.5, RATIO), of(Number.NaN, RATIO), of(1, RATIO, 0.5)])
    expect(call).toThrow(RangeError)
  for (const ratio of [0, 1_000_000, -1, 0.5, Number.NaN]) expect(of(20, ratio)).toThrow(RangeError)
})
