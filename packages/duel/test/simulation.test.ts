import { describe, expect, it } from 'vitest'
import { type Cell, oneLaneZ, simulate } from '../bench/duels.ts'
import { BLOCKS, LIES } from '../bench/lies.ts'
import { mostFrozenWins } from '../bench/one-lane.ts'
import { ALONE, PROMISED, TIED_MOST } from '../bench/promises.ts'
import { GAME, SINGLE } from '../bench/quotas.ts'
import { balancedOf, equal, fieldOf, skewed, thirdsOf, zipf } from '../bench/stakes.ts'
import { PROTOCOL } from '../src/index.ts'

// Few duels by default: the bench plays the larger number for docs/guarantees.md.
const DUELS = Number(process.env.DUELS ?? 10)
const SEED = 20_260_101n

/** Expects a share of wins within the bound, plus or minus four standard errors. */
function expectShare(cell: Cell, bound: { atMost?: number; atLeast?: number }): void {
  const { won, wonError } = simulate(cell, DUELS, SEED)
  const slack = 4 * wonError
  if (bound.atMost !== undefined) expect(won).toBeLessThanOrEqual(bound.atMost + slack)
  if (bound.atLeast !== undefined) expect(won).toBeGreaterThanOrEqual(bound.atLeast - slack)
}

const STAKES = [
  ['4 equal', equal(4)],
  ['16 skewed', skewed(16)],
] as const

describe.each(STAKES)('with stakes %s', (_, weights) => {
  const at = { p: 0.51, tied: 0 }

  it.each(LIES)('a contender exactly at the ratio wins as rarely as promised: %s', (strategy) => {
    expectShare({ ...at, field: fieldOf(weights), strategy }, { atMost: PROMISED.falseWins })
    const field = balancedOf(weights)
    expectShare({ ...at, field, strategy, freezes: true }, { atMost: PROMISED.falseWins })
  })

  it.each(BLOCKS)('a contender of p = 0.6 wins as promised, a fifth tied: %s', (strategy) => {
    const field = fieldOf(weights)
    expectShare({ field, p: 0.6, tied: 0.2, strategy }, { atLeast: PROMISED.rightWins })
  })
})

describe('liars who choose which epochs are frozen', () => {
  it.each([
    [1, 2, 1],
    [2, 2, 1],
    [4, 3, 3],
  ] as const)(
    'win no more than promised, with %d honest, %d lying and %d absent',
    (honest, lying, absent) => {
      const cell = { field: thirdsOf(honest, lying, absent), p: 0.51, tied: 0, freezes: true }
      expectShare({ ...cell, strategy: 'copy the best' }, { atMost: PROMISED.falseWins })
      const alone = { ...cell, strategy: 'copy the best', rule: ALONE } as const
      expectShare(alone, { atMost: PROMISED.falseWinsAlone })
    },
  )

  it('would win more than promised if the fourth frozen epoch did not end a duel', () => {
    const at = { ratioPpm: 510_000, quotas: SINGLE, z: oneLaneZ(PROTOCOL) }
    const wins = mostFrozenWins(at, PROTOCOL.duelEpochs)
    expect(wins.toFixed(4)).toBe('0.0594')
    expect(wins).toBeGreaterThan(PROMISED.falseWins)
  })
})

describe('an environment of few games a lane', () => {
  const at = { tied: 0, quotas: GAME }

  it.each([4, 16])('is won as rarely as promised if liars freeze epochs: %d lanes', (lanes) => {
    const cell = { ...at, field: balancedOf(equal(lanes)), p: 0.51, freezes: true }
    expectShare({ ...cell, strategy: 'thin' }, { atMost: PROMISED.falseWins })
  })

  it.each([
    [4, 'honest'],
    [16, 'thin'],
    [16, 'down, with care'],
    [16, 'block'],
  ] as const)('is won as promised by a contender of p = 0.6: %d lanes, %s', (lanes, strategy) => {
    const cell = { ...at, field: fieldOf(equal(lanes)), p: 0.6, strategy }
    expectShare(cell, { atLeast: PROMISED.rightWins })
  })
})

describe.each(TIED_MOST)('with $lanes lanes', ({ lanes, liars, honest }) => {
  const at = { field: fieldOf(equal(lanes)), p: 0.6 }

  it.each(['thin', 'down, with care', 'block'] as const)(
    `a contender of p = 0.6 wins as promised, with a share of ${liars} tied: %s`,
    (strategy) => {
      expectShare({ ...at, tied: liars, strategy }, { atLeast: PROMISED.rightWins })
    },
  )

  it(`a contender of p = 0.6 wins as promised without liars, with a share of ${honest} tied`, () => {
    const cell = { ...at, tied: honest, strategy: 'honest' } as const
    expectShare(cell, { atLeast: PROMISED.rightWins })
  })
})

describe.each([
  ['16 Zipf', zipf(16), 0.5],
  ['2, 2:1', [1_000_000, 499_999], 0.3],
] as const)('with stakes %s', (_, weights, tied) => {
  it.each(['thin', 'block'] as const)(
    `a contender of p = 0.6 wins as promised, with a share of ${tied} tied: %s`,
    (strategy) => {
      const cell = { field: fieldOf(weights), p: 0.6, tied, strategy }
      expectShare(cell, { atLeast: PROMISED.rightWins })
    },
  )
})
