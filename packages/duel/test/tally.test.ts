import { calibrate, evaluate } from '@affine/wilson'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { addChallenge, findWinner, LOCAL, NO_MATCH, PROTOCOL, sumTallies } from '../src/index.ts'

const RULE = { ratioPpm: 510_000, rule: LOCAL }
type Outcome = Parameters<typeof addChallenge>[1]
const playMatch = (outcomes: readonly Outcome[]) =>
  outcomes.reduce((match, outcome) => addChallenge(match, outcome, RULE), NO_MATCH)
const challenges = (wins: number, losses: number, ties = 0): Outcome[] => [
  ...Array.from({ length: ties }, () => 'tie' as const),
  ...Array.from({ length: wins }, () => 'win' as const),
  ...Array.from({ length: losses }, () => 'loss' as const),
]

describe('a match', () => {
  it('has no verdict before the tenth trial, and stops at its first verdict', () => {
    expect(playMatch([])).toEqual(NO_MATCH)
    expect(playMatch(challenges(9, 0, 5))).toMatchObject({
      trials: 9,
      played: 14,
      verdict: 'continue',
    })
    const won = { wins: 10, losses: 0, ties: 5, trials: 10, played: 15, verdict: 'win' }
    expect(playMatch(challenges(10, 400, 5))).toEqual(won)
    expect(playMatch(challenges(0, 50))).toMatchObject({
      losses: 10,
      played: 10,
      verdict: 'hold',
    })
  })

  it('is evaluated after every trial, in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Outcome>('win', 'loss', 'tie'), { maxLength: 120 }),
        (played) => {
          let naive = 'continue'
          let seen = 0
          while (naive === 'continue' && seen < played.length) {
            const part = played.slice(0, ++seen)
            const wins = part.filter((one) => one === 'win').length
            const trials = part.filter((one) => one !== 'tie').length
            naive = evaluate({ wins, trials, ...RULE })
          }
          const { verdict: reached, played: count } = playMatch(played)
          expect([reached, count]).toEqual([naive, seen])
        },
      ),
    )
  })

  it('is a hold at the cap, even if it was always as near to a win as it could be', () => {
    let now = NO_MATCH
    while (now.verdict === 'continue') {
      const won = addChallenge(now, 'win', RULE)
      now = won.verdict === 'win' ? addChallenge(now, 'loss', RULE) : won // as near to a win as can be
    }
    expect(now).toMatchObject({ wins: 286, trials: 500, verdict: 'hold' })
    expect(addChallenge(now, 'win', RULE)).toBe(now)
  })
})

const all = ['win', 'hold', 'even', 'continue'] as const
type One = (typeof all)[number]
const final = (verdicts: readonly One[], margin: number) => {
  const counted = verdicts.filter((one) => one !== 'even')
  const wins = counted.filter((one) => one === 'win').length
  return counted.length > 0 && wins >= Math.ceil((counted.length + margin) / 2)
    ? 'contender'
    : 'champion'
}
const ends = (verdicts: readonly One[]): One[][] => {
  const open = verdicts.indexOf('continue')
  if (open < 0) return [[...verdicts]]
  return (['win', 'hold', 'even'] as const).flatMap((one) =>
    ends(verdicts.map((old, i) => (i === open ? one : old))),
  )
}

it.each([1, 2, 3])(
  'the winner with K = %d is known if and only if the open environments cannot change it',
  (margin) => {
    for (let n = 0; n <= 4; n++) {
      for (let code = 0; code < 4 ** n; code++) {
        const verdicts = Array.from({ length: n }, (_, i) => all[(code >> (2 * i)) & 3] ?? 'win')
        const possible = new Set(ends(verdicts).map((end) => final(end, margin)))
        const record = Object.fromEntries(verdicts.map((one, i) => [`env ${i}`, one]))
        expect(findWinner(record, margin)).toBe(possible.size === 1 ? [...possible][0] : undefined)
      }
    }
  },
)

test('the z of the main network is calibrated, and larger than a local network needs', () => {
  const { cap, minTrials, zSquaredPpm } = PROTOCOL
  const z = calibrate({ alpha: 0.05, cap, minTrials })
  expect(zSquaredPpm).toBe(Math.round(z * 100) ** 2 * 100)
  expect(calibrate({ alpha: 0.05, cap: LOCAL.cap, minTrials })).toBeLessThan(z)
})

test('tallies are summed over epochs, by hotkey in ascending order', () => {
  const tally = (n: number) => ({
    ...{ wins: n, losses: 2 * n, played: 4 * n },
    ...{ contenderPoints: 5 * n, championPoints: 6 * n },
  })
  const sums = sumTallies([{ b: tally(1) }, {}, { c: tally(100), b: tally(10), a: tally(1000) }])
  expect(Object.entries(sums)).toEqual([
    ['a', tally(1000)],
    ['b', tally(11)],
    ['c', tally(100)],
  ])
})
