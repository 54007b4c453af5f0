import { type Cell, RATIO_PPM, type Shares } from './duels.ts'
import { aboveOf, STAKES } from './false-wins.ts'
import { BLOCKS, DELAYS } from './lies.ts'
import { PROMISED } from './promises.ts'
import { GAME } from './quotas.ts'
import { balancedOf, equal, fieldOf } from './stakes.ts'
import { belowOf, measure, printTable, textOf, worstOf } from './worst.ts'

const DUELS = 100
const [BETTER, NEARER] = [0.6, 0.55]
const UNEQUAL = STAKES.filter(([name]) => !name.endsWith('equal'))

/** Returns a share, its standard error and the challenges of a lane. */
const playedOf = (shares: Shares): string =>
  `${textOf(shares, 2)} (${shares.challenges.toFixed(0)})`

/**
 * Returns a share, its standard error and the challenges of a lane, marked if the share is below
 * the promise.
 */
const powerOf = (shares: Shares): string => playedOf(shares) + belowOf(shares, PROMISED.rightWins)

const least = (strategies: typeof DELAYS | typeof BLOCKS, cell: Omit<Cell, 'strategy'>): Shares =>
  worstOf(strategies, cell, { duels: DUELS, wins: 'least' })

export function printPower(): void {
  const title = 'Wins with a fifth tied, and a lane’s challenges'
  const columns = ['lanes, stake', 'p = 0.55, honest', 'p = 0.6, honest', 'p = 0.6, the worst lie']
  printTable({ title, columns }, STAKES, ([name, weights]) => {
    const at = { field: fieldOf(weights), tied: 0.2 }
    const [nearer, honest] = [NEARER, BETTER].map((p) =>
      measure({ ...at, p, strategy: 'honest' }, DUELS),
    ) as [Shares, Shares]
    const worst = least(BLOCKS, { ...at, p: BETTER })
    return [name, playedOf(nearer), ...[honest, worst].map(powerOf)]
  })
}

/** Prints, by share of ties, how often a better contender and a contender at the ratio win. */
export function printTies(): void {
  const shares = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.94]
  const title = 'By share of ties'
  const columns = ['lanes', 'tied', 'p = 0.6, liars', 'p = 0.6, honest', 'p = R, freezing']
  const cells = [4, 16, 64, 128].flatMap((lanes) => shares.map((tied) => ({ lanes, tied })))
  printTable({ title, columns }, cells, ({ lanes, tied }) => {
    const better = { field: fieldOf(equal(lanes)), p: BETTER, tied }
    const at = { field: balancedOf(equal(lanes)), p: RATIO_PPM / 1e6, tied, freezes: true }
    const safe = worstOf(['copy the best', 'thin'], at, { duels: 600, wins: 'most' })
    const wins = [least(DELAYS, better), measure({ ...better, strategy: 'honest' }, DUELS)]
    const falsely = textOf(safe, 4) + aboveOf(safe, PROMISED.falseWins)
    return [lanes, tied.toFixed(2), ...wins.map(powerOf), falsely]
  })
  printUnequalTies()
}

function printUnequalTies(): void {
  const title = 'The same where stake is unequal'
  const columns = ['lanes, stake', 'tied', 'p = 0.6, liars', 'p = 0.6, honest']
  const cells = UNEQUAL.flatMap(([name, weights]) =>
    [0.3, 0.5, 0.65, 0.8, 0.9].map((tied) => ({ name, weights, tied })),
  )
  printTable({ title, columns }, cells, ({ name, weights, tied }) => {
    const better = { field: fieldOf(weights), p: BETTER, tied }
    const wins = [least(DELAYS, better), measure({ ...better, strategy: 'honest' }, DUELS)]
    return [name, tied.toFixed(2), ...wins.map(powerOf)]
  })
}

/**
 * Prints the power in a game without ties, and in a duel of the game and other environments whose
 * challenges are half tied.
 */
export function printGamePower(): void {
  const title = 'p = 0.6 in a game, and with other environments'
  const shares = ['game, liars', 'game, honest', 'half tied, liars']
  const columns = ['lanes', ...shares, 'three of four', 'two of two']
  printTable({ title, columns }, [4, 7, 10, 16, 64, 128], (lanes) => {
    const at = { field: fieldOf(equal(lanes)), p: BETTER }
    const game = { ...at, tied: 0, quotas: GAME }
    const [worst, other] = [least(DELAYS, game), least(DELAYS, { ...at, tied: 0.5 })]
    const honest = measure({ ...game, strategy: 'honest' }, DUELS)
    const both = [threeOf(worst.won, other.won), worst.won * other.won]
    return [lanes, ...[worst, honest, other].map(powerOf), ...both.map((won) => won.toFixed(2))]
  })
  printUnequalGames()
}

function printUnequalGames(): void {
  const title = 'A game where stake is unequal'
  const columns = ['lanes, stake', 'game, liars', 'game, honest']
  printTable({ title, columns }, UNEQUAL, ([name, weights]) => {
    const game = { field: fieldOf(weights), p: BETTER, tied: 0, quotas: GAME }
    const wins = [least(DELAYS, game), measure({ ...game, strategy: 'honest' }, DUELS)]
    return [name, ...wins.map(powerOf)]
  })
}

/** Returns the probability of at least three wins in one game and three other environments. */
const threeOf = (game: number, other: number): number =>
  other ** 3 + 3 * game * other ** 2 * (1 - other)
