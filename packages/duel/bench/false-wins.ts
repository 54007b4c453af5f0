import { PROTOCOL, ruleOf } from '../src/index.ts'
import { type Cell, RATIO_PPM, type Shares } from './duels.ts'
import { LIES, type Strategy } from './lies.ts'
import { mostFrozenWins } from './one-lane.ts'
import { ALONE, PROMISED } from './promises.ts'
import { GAME, SINGLE } from './quotas.ts'
import { balancedOf, equal, type Field, fieldOf, skewed, thirdsOf, zipf } from './stakes.ts'
import { printTable, textOf, worstOf } from './worst.ts'

/** The lies by which an environment that decides alone is won at all. */
export const NEAR_LIES = ['copy the best', 'up', 'thin'] as const

/** The stakes of the validators. */
export const STAKES: readonly (readonly [name: string, weights: readonly number[]])[] = [
  ...[4, 7, 10, 16, 64, 128].map((lanes) => [`${lanes}, equal`, equal(lanes)] as const),
  ...[7, 16, 64].map((lanes) => [`${lanes}, skewed`, skewed(lanes)] as const),
  ...[4, 16, 64].map((lanes) => [`${lanes}, Zipf`, zipf(lanes)] as const),
]

/** A third that is honest, one that lies and one that is absent: ten lanes are 4, 3 and 3. */
const THIRDS = [
  [1, 2, 1],
  [2, 2, 1],
  [4, 3, 3],
  [16, 2, 1],
] as const

/** What FLOOR asks of one lane: 0.4 deviations, which are luck's, and its z. */
const [BESIDE_Z, ALONE_Z] = [ruleOf(PROTOCOL), ALONE].map(
  ({ floorZSquaredPpm }) => 0.4 + Math.sqrt(Number(floorZSquaredPpm) / 1e6),
) as [number, number]

const COLUMNS = ['lanes, stake', 'beside others', 'alone']
const AT_RATIO = { p: RATIO_PPM / 1e6, tied: 0 }

/** How often a contender at the ratio wins, as text, and whether that is above the promise. */
function falseWins(
  strategies: readonly Strategy[],
  cell: Omit<Cell, 'strategy' | 'p' | 'tied'>,
  { duels, promise }: { readonly duels: number; readonly promise: number },
): string {
  const { shares } = worstOf(strategies, { ...AT_RATIO, ...cell }, { duels, wins: 'most' })
  return textOf(shares, 4) + aboveOf(shares, promise)
}

/** Says so if a share is above its promise by more than two standard errors. */
export const aboveOf = ({ won, wonError }: Shares, promise: number): string =>
  won - 2 * wonError <= promise ? '' : ` ABOVE ${promise}`

/** Beside other environments, and alone. */
function bothOf(field: Field, more: Pick<Cell, 'freezes' | 'quotas'>): readonly string[] {
  const beside = { field, rule: ruleOf(PROTOCOL), ...more }
  const alone = { field, rule: ALONE, ...more }
  return [
    falseWins(LIES, beside, { duels: 300, promise: PROMISED.falseWins }),
    falseWins(NEAR_LIES, alone, { duels: 300, promise: PROMISED.falseWinsAlone }),
  ]
}

function thirdsRow([honest, liars, absent]: (typeof THIRDS)[number]): readonly string[] {
  const field = thirdsOf(honest, liars, absent)
  const copy = ['copy the best'] as const
  const cell = { field, freezes: true }
  return [
    `${honest} honest, a third each`,
    falseWins(copy, cell, { duels: 2000, promise: PROMISED.falseWins }),
    falseWins(copy, { ...cell, rule: ALONE }, { duels: 2000, promise: PROMISED.falseWinsAlone }),
  ]
}

export function printRatio(): void {
  const title = 'False wins: p = R, nothing tied, the worst lie'
  printTable({ title, columns: COLUMNS }, STAKES, ([name, weights]) => [
    name,
    ...bothOf(fieldOf(weights), {}),
  ])
}

export function printFreezing(): void {
  const title = 'False wins where liars choose which epochs are frozen'
  printTable({ title, columns: COLUMNS }, STAKES, ([name, weights]) => [
    name,
    ...bothOf(balancedOf(weights), { freezes: true }),
  ])
  printTable({ title: 'The same, a third each', columns: COLUMNS }, THIRDS, thirdsRow)
  printExact()
}

function printExact(): void {
  const title = 'Exactly, where one honest lane decides and liars freeze'
  const columns = ['R', 'beside others', 'beside others, game', 'alone', 'alone, game']
  printTable({ title, columns }, [510_000, 600_000, 800_000], (ratioPpm) => {
    const wins = [BESIDE_Z, ALONE_Z].flatMap((z) =>
      [SINGLE, GAME].map((quotas) => mostFrozenWins({ ratioPpm, quotas, z })),
    )
    return [ratioPpm / 1e6, ...wins.map((win) => win.toFixed(4))]
  })
}

/** Where liars freeze an environment with a game's quotas. */
export function printGameFalseWins(): void {
  const title = 'False wins in a game where liars freeze'
  printTable({ title, columns: COLUMNS }, [4, 16, 64], (lanes) => {
    const field = balancedOf(equal(lanes))
    return [`${lanes}, equal`, ...bothOf(field, { freezes: true, quotas: GAME })]
  })
}
