import { describe, expect, it } from 'vitest'
import { AGAINST, type Cell, LIES, POWER, simulate, TABLE } from '../bench/simulation.ts'

// The table's own duels, and ours: fewer, so that the whole file takes well under a minute.
const [DETHRONES, POWERS] = [2000, 600]
const duelsOf = (lanes: number) => (lanes > 16 ? 80 : 300)

/**
 * Both shares are of a finite number of duels, so they may differ by chance. Four standard errors
 * of the difference (one duel each way added, so that 0 and 1 have an error too), plus half of the
 * table's last digit: 40 cells stay within that but for about one seed in 400, and the seed is
 * fixed.
 */
function expectShare(got: number, want: number, duels: number, tableDuels: number, digit: number) {
  const pooled = (got * duels + want * tableDuels + 1) / (duels + tableDuels + 2)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / duels + 1 / tableDuels))
  expect(Math.abs(got - want)).toBeLessThanOrEqual(4 * error + digit / 2)
}

describe.each(TABLE)('$lanes lanes', ({ lanes, worst, power, challenges, against }) => {
  const duels = duelsOf(lanes)
  const run = (cell: Omit<Cell, 'lanes'>) => simulate({ lanes, ...cell }, duels, 20_260_101n)

  it('never dethrones for an exact copy when all are honest', () => {
    expect(run({ p: 0.51, tied: 0, strategy: 'honest' }).won).toBe(0)
  })

  it('dethrones for an exact copy as rarely as the table says, whatever liars play', () => {
    const shares = LIES.map((strategy) => run({ p: 0.51, tied: 0, strategy }).won)
    expectShare(Math.max(...shares), worst, duels, DETHRONES, 0.001)
    expect(Math.max(...shares)).toBeLessThan(0.05)
  })

  it.each(POWER.map((p, i) => [p, i] as const))('crowns a better contender, p = %d', (p, i) => {
    const { won, challenges: mean, error } = run({ p, tied: 0.2, strategy: 'honest' })
    expectShare(won, power[i] ?? 0, duels, POWERS, 0.01)
    // the table's mean has the same spread, over its own number of duels
    const errors = Math.hypot(error, error * Math.sqrt(duels / POWERS))
    expect(Math.abs(mean - (challenges[i] ?? 0))).toBeLessThanOrEqual(4 * errors + 0.5)
  })

  it.each(AGAINST.map((strategy, i) => [strategy, i] as const))(
    'holds out against liars: %s',
    (strategy, i) => {
      expectShare(run({ p: 0.6, tied: 0.2, strategy }).won, against[i] ?? 0, duels, POWERS, 0.01)
    },
  )

  it('is delayed, and no more, by liars at the very edge of the outlier rule', () => {
    const edge = run({ p: 0.6, tied: 0.2, strategy: 'down' }).won
    expect(edge).toBeLessThanOrEqual(run({ p: 0.6, tied: 0.2, strategy: 'down, with care' }).won)
    expect(run({ p: 0.9, tied: 0.2, strategy: 'down' }).won).toBe(1)
  })
})
