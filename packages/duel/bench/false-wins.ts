import { PROTOCOL } from '../src/index.ts'
import { type Cell, oneLaneZ, RATIO_PPM, type Shares } from './duels.ts'
import { LIES, type Strategy } from './lies.ts'
import { mostFrozenWins } from './one-lane.ts'
import { ALONE, PROMISED } from './promises.ts'
import { GAME, SINGLE } from './quotas.ts'
import { balancedOf, equal, fieldOf, skewed, thirdsOf, zipf } from './stakes.ts'
import { printTable, textOf, worstOf } from './worst.ts'

/** The lies that can win an environment that decides alone. */
export const NEAR_LIES = ['copy the best', 'thin'] as const
const [DUELS, DUELS_ALONE] = [600, 1500]

/** The stakes of the validators. */
export const STAKES: readonly (readonly [name: string, weights: readonly number[]])[] = [
  ...[4, 7, 10, 16, 64, 128].map((lanes) => [`${lanes}, equal`, equal(lanes)] as const),
  ...[7, 16, 64].map((lanes) => [`${lanes}, skewed`, skewed(lanes)] as const),
  ...[4, 16, 64].map((lanes) => [`${lanes}, Zipf`, zipf(lanes)] as const),
  ['2, 2:1', [1_000_000, 499_999]],
  ['4, 3:1:1:1', [1_000_000, 333_333, 333_333, 333_333]],
]

/** Numbers of honest, lying and absent validators. Each group has a third of the weight. */
const THIRDS = [
  [1, 2, 1],
  [2, 2, 1],
  [4, 3, 3],
  [16, 2, 1],
] as const

const RULES = [PROTOCOL, ALONE]

const AT_RATIO = { p: RATIO_PPM / 1e6, tied: 0 }

type FalseCell = Omit<Cell, 'strategy' | 'p' | 'tied'>

/** Returns how often a contender at the ratio wins an environment among others. */
function withOthers(cell: FalseCell, strategies: readonly Strategy[] = LIES): string {
  const options = { ...AT_RATIO, ...cell, rule: PROTOCOL }
  const duels = strategies.length === 1 ? DUELS_ALONE : DUELS
  const shares = worstOf(strategies, options, { duels, wins: 'most' })
  return textOf(shares, 4) + aboveOf(shares, PROMISED.falseWins)
}

function alone(cell: FalseCell, strategies: readonly Strategy[] = NEAR_LIES): string {
  const shares = worstOf(
    strategies,
    { ...AT_RATIO, ...cell, rule: ALONE },
    { duels: DUELS_ALONE, wins: 'most' },
  )
  return textOf(shares, 4) + aboveOf(shares, PROMISED.falseWinsAlone)
}

/** Returns a mark if a share exceeds its promise by more than two standard errors. */
export const aboveOf = ({ won, wonError }: Shares, promise: number): string =>
  won - 2 * wonError <= promise ? '' : ` ABOVE ${promise}`

export function printRatio(): void {
  const title = 'False wins: p = R, nothing tied, the worst lie'
  const columns = ['lanes, stake', 'with others', 'with others, freezing', 'alone, freezing']
  printTable({ title, columns }, STAKES, ([name, weights]) => {
    const cell = { field: balancedOf(weights), freezes: true }
    return [name, withOthers({ field: fieldOf(weights) }), withOthers(cell), alone(cell)]
  })
  printThirds()
  printExact()
}

function printThirds(): void {
  const title = 'The same with a third each of honest, lying and absent'
  const columns = ['honest, lying, absent', 'with others, freezing', 'alone, freezing']
  printTable({ title, columns }, THIRDS, ([honest, liars, absent]) => {
    const cell = { field: thirdsOf(honest, liars, absent), freezes: true }
    const copy = ['copy the best'] as const
    return [`${honest}, ${liars}, ${absent}`, withOthers(cell, copy), alone(cell, copy)]
  })
}

function printExact(): void {
  const title = 'Exactly, where one honest lane decides and liars freeze'
  const columns = ['R', 'with others', 'with others, game', 'alone', 'alone, game']
  printTable({ title, columns }, Object.entries(EXACT_RATIOS), ([name, ratios]) => {
    return [name, ...exactWins(ratios)]
  })
}

/** The last row has the maximum over the ratios 0.51, 0.52 … 0.80. */
export const EXACT_RATIOS: Readonly<Record<string, readonly number[]>> = {
  '0.51': [510_000],
  '0.60': [600_000],
  '0.80': [800_000],
  'any, at most': Array.from({ length: 30 }, (_, i) => 510_000 + 10_000 * i),
}

/**
 * Returns the maximum share of wins at these ratios, for an environment among others and alone,
 * each with the quotas of one player and of games.
 */
export function exactWins(ratios: readonly number[]): readonly string[] {
  const kinds = RULES.map(oneLaneZ).flatMap((z) => [SINGLE, GAME].map((quotas) => ({ z, quotas })))
  return kinds.map((kind) => {
    const wins = ratios.map((ratioPpm) => mostFrozenWins({ ...kind, ratioPpm }))
    return Math.max(...wins).toFixed(4)
  })
}

/**
 * Prints the false wins in cases where liars freeze epochs of an environment with a game's quotas.
 */
export function printGameFalseWins(): void {
  const title = 'False wins in a game where liars freeze'
  const columns = ['lanes, stake', 'with others', 'alone']
  printTable({ title, columns }, [4, 16, 64], (lanes) => {
    const cell = { field: balancedOf(equal(lanes)), freezes: true, quotas: GAME }
    return [`${lanes}, equal`, withOthers(cell), alone(cell)]
  })
}
