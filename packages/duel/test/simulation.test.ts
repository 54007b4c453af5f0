import { describe, expect, it } from 'vitest'
import {
  BLOCKS,
  type Cell,
  equal,
  LIES,
  POWER,
  simulate,
  skewed,
  TABLE,
} from '../bench/simulation.ts'

// The table's own duels, and ours: fewer, unless asked for more.
const [DETHRONES, POWERS] = [2000, 600]
const DUELS = Number(process.env.DUELS ?? 60)
// In fewer, many lanes may all end at one number of challenges, which then seems to have no error.
const duelsOf = (lanes: number) => (lanes > 16 ? Math.max(30, Math.round(DUELS / 6)) : DUELS)
const SEED = 20_260_101n

/**
 * Both shares are of a finite number of duels, so they may differ by chance. Four standard errors
 * of the difference (one duel each way added, so that 0 and 1 have an error too), plus half of the
 * table's last digit.
 */
function slack(got: number, want: number, duels: number, tableDuels: number): number {
  const pooled = (got * duels + want * tableDuels + 1) / (duels + tableDuels + 2)
  return 4 * Math.sqrt(pooled * (1 - pooled) * (1 / duels + 1 / tableDuels)) + 0.005
}

describe.each(TABLE)('$lanes lanes', ({ lanes, worst, power, challenges, against }) => {
  const duels = duelsOf(lanes)
  const run = (cell: Omit<Cell, 'weights'>) =>
    simulate({ weights: equal(lanes), ...cell }, duels, SEED)

  it('never dethrones for an exact copy when all are honest', () => {
    expect(run({ p: 0.51, tied: 0, strategy: 'honest' }).won).toBeLessThanOrEqual(1 / duels)
  })

  it('dethrones for an exact copy as rarely as promised, whatever liars play', () => {
    const shares = LIES.map((strategy) => run({ p: 0.51, tied: 0, strategy }).won)
    const most = Math.max(...shares)
    expect(most).toBeLessThanOrEqual(worst + slack(most, worst, duels, DETHRONES))
  })

  it.each(POWER.map((p, i) => [p, i] as const))('crowns a better contender, p = %d', (p, i) => {
    const { won, challenges: mean, error } = run({ p, tied: 0.2, strategy: 'honest' })
    const want = power[i] ?? 0
    expect(Math.abs(won - want)).toBeLessThanOrEqual(slack(won, want, duels, POWERS))
    // the table's mean has the same spread, over its own number of duels
    const errors = Math.hypot(error, error * Math.sqrt(duels / POWERS))
    expect(Math.abs(mean - (challenges[i] ?? 0))).toBeLessThanOrEqual(4 * errors + 0.5)
  })

  it.each(BLOCKS)('crowns p = 0.6 against liars: %s', (strategy) => {
    const { won } = run({ p: 0.6, tied: 0.2, strategy })
    expect(won).toBeGreaterThanOrEqual(against - slack(won, against, duels, POWERS))
  })
})

describe('stake that is skewed', () => {
  it.each(LIES)('does not make an exact copy win: %s', (strategy) => {
    const { won } = simulate({ weights: skewed(16), p: 0.51, tied: 0, strategy }, DUELS, SEED)
    expect(won).toBeLessThanOrEqual(0.008 + slack(won, 0.008, DUELS, DETHRONES))
  })
})

describe('liars with absentees', () => {
  it.each([
    [7, 1],
    [16, 3],
  ])('of %d lanes %d are absent: an exact copy wins at most one in twenty', (lanes, absent) => {
    const shares = LIES.map(
      (strategy) =>
        simulate({ weights: equal(lanes), p: 0.51, tied: 0, strategy, absent }, DUELS, SEED).won,
    )
    const most = Math.max(...shares)
    expect(most).toBeLessThanOrEqual(0.05 + slack(most, 0.05, DUELS, DETHRONES))
  })
})
