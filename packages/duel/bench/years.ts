import { walk } from '@affine/wilson'
import { PROTOCOL } from '../src/index.ts'
import { oneLaneZ, RATIO_PPM, type Shares } from './duels.ts'
import { NEAR_LIES } from './false-wins.ts'
import { LIES } from './lies.ts'
import { ALONE } from './promises.ts'
import { SINGLE } from './quotas.ts'
import { equal, fieldOf } from './stakes.ts'
import { measure, printTable } from './worst.ts'

/** One in 12 seconds. */
const BLOCKS_A_DAY = 7200

/**
 * How often a year the throne falls to a contender exactly at the ratio, at most, if the list is
 * full of such ones all the time, in `envs` environments of this kind. A duel is taken to last as
 * long as one environment does, and nobody to wait for a duel that is won.
 */
function dethronementsAYear({ won, epochs }: Pick<Shares, 'won' | 'epochs'>, envs: number): number {
  const needed = Math.ceil((envs + PROTOCOL.margin) / 2)
  const duels = (PROTOCOL.duelsMost * 365 * BLOCKS_A_DAY) / PROTOCOL.epochBlocks / epochs
  let share = 0
  for (let wins = needed; wins <= envs; wins++)
    share += choose(envs, wins) * won ** wins * (1 - won) ** (envs - wins)
  return duels * share
}

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)

/** One lane that is looked at after every challenge, exactly. */
export function yearOfOne(envs: number): number {
  const main = PROTOCOL
  const zSquared = oneLaneZ(envs === 1 ? ALONE : main) ** 2
  const rule = { ...main, zSquaredPpm: BigInt(Math.round(1e6 * zSquared)) }
  const { win, expectedTrials } = walk({ p: RATIO_PPM / 1e6, ratioPpm: RATIO_PPM, rule })
  let [epochs, challenges] = [0, 0]
  while (challenges < expectedTrials) challenges += SINGLE[epochs++] ?? Number.POSITIVE_INFINITY
  return dethronementsAYear({ won: win, epochs }, envs)
}

/** False dethronements a year against liars who know how many environments there are. */
export function printYears(): void {
  const lanes = [4, 7, 16]
  const seen = lanes.map((count) => {
    const at = { field: fieldOf(equal(count)), p: RATIO_PPM / 1e6, tied: 0 }
    const beside = LIES.map((strategy) => measure({ ...at, strategy }, 600))
    const alone = NEAR_LIES.map((strategy) => measure({ ...at, strategy, rule: ALONE }, 3000))
    return { beside, alone }
  })
  const title = 'False dethronements a year: eight contenders at the ratio all the time'
  const columns = ['environments', 'one lane, exactly', ...lanes.map((count) => `${count} lanes`)]
  printTable({ title, columns }, [1, 2, 3, 4], (envs) => {
    const cells = seen.map(({ beside, alone }) => {
      const years = (envs === 1 ? alone : beside).map((each) => aYear(each, envs))
      return years.reduce((most, one) => (one.mean > most.mean ? one : most))
    })
    const texts = cells.map(({ mean, error }) => `${mean.toFixed(2)} ± ${error.toFixed(2)}`)
    return [envs, yearOfOne(envs).toFixed(2), ...texts]
  })
}

/** With what it is more if the share is one standard error more. */
function aYear(shares: Shares, envs: number): { readonly mean: number; readonly error: number } {
  const mean = dethronementsAYear(shares, envs)
  const more = dethronementsAYear({ ...shares, won: shares.won + shares.wonError }, envs)
  return { mean, error: more - mean }
}
