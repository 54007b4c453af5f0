import { type Cell, type Share, type Shares, simulate } from './duels.ts'
import type { Strategy } from './lies.ts'

const SEED = 20_260_101n
const isAll = process.argv.includes('--all')

/**
 * Plays `most` duels at up to 32 lanes, fewer with more lanes, and ten times as many with `--all`.
 */
export function measure(cell: Cell, most: number): Shares {
  const lanes = cell.field.weights.length
  const duels = Math.ceil((most * (isAll ? 10 : 1)) / Math.max(1, lanes / 32))
  return simulate(cell, duels, SEED)
}

/**
 * Returns the shares of the strategy with the most, or fewest, wins of the contender; if several
 * strategies have equally many, of the strategy whose duels have the most challenges.
 */
export function worstOf(
  strategies: readonly Strategy[],
  cell: Omit<Cell, 'strategy'>,
  { duels, wins }: { readonly duels: number; readonly wins: 'most' | 'least' },
): Shares {
  const sign = wins === 'most' ? 1 : -1
  return strategies
    .map((strategy) => measure({ ...cell, strategy }, duels))
    .reduce((worst, one) => {
      const more = sign * (one.won - worst.won)
      return more > 0 || (more === 0 && one.challenges > worst.challenges) ? one : worst
    })
}

export const textOf = ({ won, wonError }: Share, digits: number): string =>
  `${won.toFixed(digits)} ± ${wonError.toFixed(digits)}`

/** Returns a mark if a share is below its promise by more than two standard errors. */
export const belowOf = ({ won, wonError }: Share, promise: number): string =>
  won + 2 * wonError >= promise ? '' : ' below'

/** Prints a table in Markdown for docs/guarantees.md, each row when it is known. */
export function printTable<Item>(
  { title, columns }: { readonly title: string; readonly columns: readonly string[] },
  items: readonly Item[],
  rowOf: (item: Item) => readonly (string | number)[],
): void {
  console.log(`\n${title}\n`)
  console.log(`| ${columns.join(' | ')} |`)
  console.log(`| ${columns.map(() => '---').join(' | ')} |`)
  for (const item of items) console.log(`| ${rowOf(item).join(' | ')} |`)
}
