import { pcg64 } from '@affine/prng'
import { walk } from '@affine/wilson'
import { PROTOCOL } from '../src/index.ts'
import {
  type Cell,
  environmentsIn,
  oneLaneZ,
  RATIO_PPM,
  type Shares,
  type SimulatedEnvironment,
} from './duels.ts'
import { NEAR_LIES } from './false-wins.ts'
import { FROZEN_MOST } from './freezing.ts'
import { LIES } from './lies.ts'
import { ALONE } from './promises.ts'
import { SINGLE } from './quotas.ts'
import { balancedOf, equal, fieldOf } from './stakes.ts'
import { measure, printTable } from './worst.ts'

/** Number of epochs a year, with 7200 blocks a day. */
const EPOCHS_A_YEAR = (365 * 7200) / PROTOCOL.epochBlocks

/**
 * Returns the maximum number of false dethronements a year by contenders exactly at the ratio, if
 * the list is always full of such contenders, in `envs` environments of this kind. Assumes that a
 * duel lasts as long as one environment, and that no contender waits for a won duel.
 */
function dethronementsAYear({ won, epochs }: Pick<Shares, 'won' | 'epochs'>, envs: number): number {
  const needed = Math.ceil((envs + PROTOCOL.margin) / 2)
  const duels = (PROTOCOL.duelsMost * EPOCHS_A_YEAR) / epochs
  let share = 0
  for (let wins = needed; wins <= envs; wins++)
    share += choose(envs, wins) * won ** wins * (1 - won) ** (envs - wins)
  return duels * share
}

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)

/** Returns the exact number of `dethronementsAYear` for a lane evaluated after each challenge. */
export function yearOfOne(envs: number): number {
  const main = PROTOCOL
  const zSquared = oneLaneZ(envs === 1 ? ALONE : main) ** 2
  const rule = { ...main, zSquaredPpm: BigInt(Math.round(1e6 * zSquared)) }
  const { win, expectedTrials } = walk({ p: RATIO_PPM / 1e6, ratioPpm: RATIO_PPM, rule })
  let [epochs, challenges] = [0, 0]
  while (challenges < expectedTrials) challenges += SINGLE[epochs++] ?? Number.POSITIVE_INFINITY
  return dethronementsAYear({ won: win, epochs }, envs)
}

/** Prints false dethronements a year against liars that know the number of environments. */
export function printYears(): void {
  const lanes = [4, 7, 16]
  const seen = lanes.map((count) => {
    const at = { field: fieldOf(equal(count)), p: RATIO_PPM / 1e6, tied: 0 }
    const withOthers = LIES.map((strategy) => measure({ ...at, strategy }, 600))
    const alone = NEAR_LIES.map((strategy) => measure({ ...at, strategy, rule: ALONE }, 3000))
    return { withOthers, alone }
  })
  const title = 'False dethronements a year: eight contenders at the ratio all the time'
  const columns = ['environments', 'one lane, exactly', ...lanes.map((count) => `${count} lanes`)]
  printTable({ title, columns }, [1, 2, 3, 4], (envs) => {
    const cells = seen.map(({ withOthers, alone }) => {
      const years = (envs === 1 ? alone : withOthers).map((each) => aYear(each, envs))
      return years.reduce((most, one) => (one.mean > most.mean ? one : most))
    })
    const texts = cells.map(({ mean, error }) => `${mean.toFixed(2)} ± ${error.toFixed(2)}`)
    return [envs, yearOfOne(envs).toFixed(2), ...texts]
  })
  printOneShort()
}

const YEARS = process.argv.includes('--all') ? 20 : 2

/** Four validators of equal stake. Liars can freeze epochs only if others are absent. */
const VALIDATORS: readonly (readonly [name: string, cell: Pick<Cell, 'field' | 'strategy'>])[] = [
  ['all honest', { field: fieldOf(equal(4)), strategy: 'honest' }],
  ['a third lies', { field: fieldOf(equal(4)), strategy: 'copy the best' }],
  ['it also freezes epochs', { field: balancedOf(equal(4)), strategy: 'copy the best' }],
]

/** Prints the dethronements by contenders that are better in two of four environments. */
function printOneShort(): void {
  const title = `The same of contenders better in two of four environments, in ${YEARS} years`
  const columns = ['4 lanes', 'at the ratio in the others', 'copies of the champion in them']
  printTable({ title, columns }, VALIDATORS, ([name, cell]) => {
    const texts = [RATIO_PPM / 1e6, 0.5].map((p) => {
      const count = dethronementsIn(YEARS, { ...cell, p, tied: 0, freezes: true })
      return `${(count / YEARS).toFixed(1)} ± ${(Math.sqrt(count + 1) / YEARS).toFixed(1)}`
    })
    return [name, ...texts]
  })
}

/** A duel that is won with any of the environments in `open`. */
interface Duel {
  readonly open: readonly SimulatedEnvironment[]
  readonly epochs: number
  readonly frozen: number
  readonly isWon: boolean
}

/**
 * Plays a list of duels for `years` years. Returns the number of dethronements. New duels fill the
 * list in every epoch that begins without a won duel. Protocol §8.11.
 */
function dethronementsIn(years: number, cell: Cell): number {
  const begin = environmentsIn(cell, pcg64(20_260_101n))
  let duels: readonly Duel[] = []
  let dethronements = 0
  for (let epoch = 0; epoch < years * EPOCHS_A_YEAR; epoch++) {
    if (!duels.some(({ isWon }) => isWon)) {
      const room = PROTOCOL.duelsMost - duels.length
      const beginDuel = (): Duel => ({
        open: [begin(), begin()],
        epochs: 0,
        frozen: 0,
        isWon: false,
      })
      duels = [...duels, ...Array.from({ length: room }, beginDuel)]
    }
    duels = playEpoch(duels)
    if (duels.length > 0 && duels.every(({ isWon }) => isWon)) {
      dethronements++
      duels = []
    }
  }
  return dethronements
}

/**
 * Plays an epoch, which the liars freeze if more contenders can be expected to win that way. Drops
 * the lost duels.
 */
function playEpoch(duels: readonly Duel[]): readonly Duel[] {
  const open = duels.filter(({ isWon }) => !isWon)
  for (const environment of open.flatMap((duel) => duel.open)) environment.play()
  const wins = (isFrozen: boolean): number =>
    open.reduce((sum, duel) => sum + chanceOfOne(duel, isFrozen), 0)
  const isFrozen = wins(true) > wins(false)
  const played = open.map((duel): Duel => {
    const results = duel.open.map((environment) => environment.end(isFrozen))
    return {
      open: duel.open.filter((_, i) => results[i] === 'continue'),
      epochs: duel.epochs + 1,
      frozen: duel.frozen + Number(isFrozen),
      isWon: results.includes('win'),
    }
  })
  const isLost = ({ open, epochs, frozen, isWon }: Duel): boolean =>
    !isWon && (open.length === 0 || epochs === PROTOCOL.duelEpochs || frozen > FROZEN_MOST)
  return [...duels.filter(({ isWon }) => isWon), ...played.filter((duel) => !isLost(duel))]
}

const chanceOfOne = ({ open }: Duel, isFrozen: boolean): number =>
  1 - open.reduce((none, environment) => none * (1 - environment.chanceIf(isFrozen)), 1)

/**
 * Returns the dethronements a year, and their increase if the share of wins is one standard error
 * higher.
 */
function aYear(shares: Shares, envs: number): { readonly mean: number; readonly error: number } {
  const mean = dethronementsAYear(shares, envs)
  const more = dethronementsAYear({ ...shares, won: shares.won + shares.wonError }, envs)
  return { mean, error: more - mean }
}
