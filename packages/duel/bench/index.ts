import { PROTOCOL, ruleOf } from '../src/index.ts'
import { type Cell, RATIO_PPM, type Shares, simulate } from './duels.ts'
import { holdRows } from './hold-cost.ts'
import { BLOCKS, LIES, type Strategy } from './lies.ts'
import { mostFrozenWins } from './one-lane.ts'
import { ALONE, PROMISED } from './promises.ts'
import { printSpeed } from './speed.ts'
import { balancedOf, equal, type Field, fieldOf, skewed, thirdsOf, zipf } from './stakes.ts'
import { printYears } from './years.ts'

const seed = 20_260_101n
const isAll = process.argv.includes('--all')
const parts = process.argv.slice(2).filter((each) => !each.startsWith('--'))
/** Duels of a cell: fewer where each takes longer, ten times as many with `--all`. */
const duelsOf = ({ weights }: Field, most: number): number =>
  Math.ceil((most * (isAll ? 10 : 1)) / Math.max(1, weights.length / 16))

const percent = ({ won, wonError }: Shares): string => `${won.toFixed(4)} ± ${wonError.toFixed(4)}`

/** The worst of these strategies for the promise, and its name. */
function worstOf(strategies: readonly Strategy[], cell: Omit<Cell, 'strategy'>, sign: 1 | -1) {
  const duels = duelsOf(cell.field, sign > 0 ? 300 : 60)
  const all = strategies.map((strategy) => {
    const shares = simulate({ ...cell, strategy }, duels, seed)
    return { strategy, shares }
  })
  return all.reduce((worst, one) => (sign * (one.shares.won - worst.shares.won) > 0 ? one : worst))
}

/** The stakes that false wins are measured at. */
const STAKES: readonly (readonly [name: string, weights: readonly number[]])[] = [
  ...[4, 7, 16, 64, 128].map((lanes) => [`${lanes} equal`, equal(lanes)] as const),
  ...[7, 16, 64].map((lanes) => [`${lanes} skewed`, skewed(lanes)] as const),
  ...[4, 16, 64].map((lanes) => [`${lanes} Zipf`, zipf(lanes)] as const),
]

/** A row of false wins: the worst lie, and whether the promises hold. */
function printFalseWins(name: string, field: Field, freezes: boolean): void {
  const at = { field, p: RATIO_PPM / 1e6, tied: 0, freezes }
  const beside = worstOf(LIES, { ...at, rule: ruleOf(PROTOCOL) }, 1)
  const alone = worstOf(LIES, { ...at, rule: ALONE }, 1)
  const kept = (share: Shares, promise: number) =>
    share.won - 2 * share.wonError <= promise ? '' : ` ABOVE ${promise}`
  const cells = [
    name,
    `${percent(beside.shares)} ${beside.strategy}${kept(beside.shares, PROMISED.falseWins)}`,
    `${percent(alone.shares)} ${alone.strategy}${kept(alone.shares, PROMISED.falseWinsAlone)}`,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

function printRatio(): void {
  console.log('\nFalse wins, p = R, nothing tied, the worst lie: beside others, alone')
  for (const [name, weights] of STAKES) printFalseWins(name, fieldOf(weights), false)
}

function printFreezing(): void {
  console.log('\nThe same where liars choose which epochs are frozen')
  for (const [name, weights] of STAKES) printFalseWins(name, balancedOf(weights), true)
  for (const honest of [1, 2, 4, 16])
    printFalseWins(`thirds, ${honest} honest`, thirdsOf(honest, 2, 1), true)
  const exact = (z: number) => mostFrozenWins(RATIO_PPM, z).toFixed(4)
  console.log(`  one honest lane, exactly: ${exact(2.8)} beside others, ${exact(3.8)} alone`)
}

function printPower(): void {
  console.log('\nWins with a fifth tied: p = 0.55 and 0.6, honest; p = 0.6, the worst lie')
  for (const [name, weights] of STAKES) {
    const field = fieldOf(weights)
    const duels = duelsOf(field, 60)
    const cells = [0.55, 0.6].map((p) => {
      const shares = simulate({ field, p, tied: 0.2, strategy: 'honest' }, duels, seed)
      return `${shares.won.toFixed(2)} (${shares.challenges.toFixed(0)})`
    })
    const { strategy, shares } = worstOf(BLOCKS, { field, p: 0.6, tied: 0.2 }, -1)
    cells.push(`${shares.won.toFixed(2)} (${shares.challenges.toFixed(0)}) ${strategy}`)
    console.log(`| ${[name, ...cells].join(' | ')} |`)
  }
}

function printTies(): void {
  console.log('\np = 0.6 against the worst lie, and p = R against the worst, by share of ties')
  for (const lanes of [4, 16, 64, 128]) {
    const field = fieldOf(equal(lanes))
    for (const tied of [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95]) {
      const power = worstOf(
        ['honest', 'thin', 'down, with care', 'block'],
        { field, p: 0.6, tied },
        -1,
      )
      const safe = worstOf(['copy the best', 'up', 'thin'], { field, p: RATIO_PPM / 1e6, tied }, 1)
      const cells = [
        lanes,
        tied,
        `${percent(power.shares)} ${power.strategy}`,
        percent(safe.shares),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
  }
}

function printHold(): void {
  console.log('\nWhat HOLD costs, exactly: cap, R, p, wins, decisive challenges')
  for (const row of holdRows()) console.log(row)
}

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = {
  speed: printSpeed,
  hold: printHold,
  ratio: printRatio,
  freezing: printFreezing,
  power: printPower,
  ties: printTies,
  years: () => printYears(duelsOf(fieldOf(equal(4)), 300), seed),
}

for (const part of parts.length > 0 ? parts : Object.keys(PARTS)) await PARTS[part]?.()
