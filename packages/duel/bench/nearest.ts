import { type Cell, simulate } from './duels.ts'
import { DELAYS } from './lies.ts'
import { PROMISED } from './promises.ts'
import { GAME } from './quotas.ts'
import { equal, fieldOf, skewed } from './stakes.ts'
import { belowOf, printTable, textOf } from './worst.ts'

/** Number of duels with which no standard error exceeds .004 for shares of .96 or more. */
const DUELS = 2500
const TWO_TO_ONE = [1_000_000, 499_999]

type Row = readonly [promise: string, stake: string, cell: Omit<Cell, 'p' | 'strategy'>]

const ROWS: readonly Row[] = [
  ['one player, liars', '2, 2:1', { field: fieldOf(TWO_TO_ONE), tied: 0.3 }],
  ['one player, liars', '16, equal', { field: fieldOf(equal(16)), tied: 0.8 }],
  ['one player, honest', '2, 2:1', { field: fieldOf(TWO_TO_ONE), tied: 0.65 }],
  ['one player, honest', '4, equal', { field: fieldOf(equal(4)), tied: 0.8 }],
  ['a game, liars', '16, equal', { field: fieldOf(equal(16)), tied: 0, quotas: GAME }],
  ['a game, liars', '24, equal', { field: fieldOf(equal(24)), tied: 0, quotas: GAME }],
  ['a game, honest', '4, equal', { field: fieldOf(equal(4)), tied: 0, quotas: GAME }],
  ['a game, honest', '7, skewed', { field: fieldOf(skewed(7)), tied: 0, quotas: GAME }],
]

/** Prints the two rows nearest to each promise of power, with many duels. */
export function printNearest(): void {
  const title = 'Nearest to the promises: p = 0.6'
  printTable({ title, columns: ['promise', 'lanes, stake', 'tied', 'wins'] }, ROWS, (row) => {
    const [promise, stake, cell] = row
    const strategies = promise.endsWith('liars') ? DELAYS : (['honest'] as const)
    const [worst] = strategies
      .map((strategy) => simulate({ ...cell, p: 0.6, strategy }, DUELS, 20_260_101n))
      .sort((a, b) => a.won - b.won)
    const share = worst ? textOf(worst, 4) + belowOf(worst, PROMISED.rightWins) : ''
    return [promise, stake, cell.tied.toFixed(2), share]
  })
}
