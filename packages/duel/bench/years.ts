import { walk } from '@affine/wilson'
import { PROTOCOL, quotaOf, ruleOf } from '../src/index.ts'
import { constantsOf, MULT8 } from '../test/subnet.ts'
import { RATIO_PPM, type Shares, simulate } from './duels.ts'
import { LIES } from './lies.ts'
import { ALONE } from './promises.ts'
import { equal, fieldOf } from './stakes.ts'

/** One in 12 seconds. */
const BLOCKS_A_DAY = 7200

/**
 * How often a year the throne falls to a contender exactly at the ratio, if such ones contend all
 * the time in `envs` environments of this kind. A duel is taken to last as long as one environment
 * does.
 */
function dethronementsAYear({ won, epochs }: Pick<Shares, 'won' | 'epochs'>, envs: number): number {
  const needed = Math.ceil((envs + PROTOCOL.margin) / 2)
  const duels = (365 * BLOCKS_A_DAY) / PROTOCOL.epochBlocks / epochs
  let share = 0
  for (let wins = needed; wins <= envs; wins++)
    share += choose(envs, wins) * won ** wins * (1 - won) ** (envs - wins)
  return duels * share
}

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)

/** A validator by itself that looks after every challenge, exactly. */
function yearOfOne(envs: number): number {
  const rule = envs === 1 ? ALONE : ruleOf(PROTOCOL)
  const { win, expectedTrials } = walk({ p: RATIO_PPM / 1e6, ratioPpm: RATIO_PPM, rule })
  let [epochs, challenges] = [0, 0]
  while (challenges < expectedTrials) challenges += quotaOf(++epochs, constantsOf(MULT8))
  return dethronementsAYear({ won: win, epochs }, envs)
}

/** False dethronements a year against liars who know how many environments there are. */
export function printYears(duels: number, seed: bigint): void {
  console.log('\nFalse dethronements a year, with contenders exactly at the ratio all the time:')
  const seen = [4, 7, 16].map((lanes) => ({
    lanes,
    shares: [false, true].map((alone) =>
      [...LIES, 'honest' as const].map((strategy) => {
        const rule = alone ? ALONE : ruleOf(PROTOCOL)
        const field = fieldOf(equal(lanes))
        return simulate({ field, p: RATIO_PPM / 1e6, tied: 0, strategy, rule }, duels, seed)
      }),
    ),
  }))
  for (const envs of [1, 2, 3, 4]) {
    const cells = seen.map(({ shares }) => {
      const kind = shares[envs === 1 ? 1 : 0] ?? []
      return Math.max(...kind.map((each) => dethronementsAYear(each, envs))).toFixed(2)
    })
    console.log(`| ${[envs, yearOfOne(envs).toFixed(2), ...cells].join(' | ')} |`)
  }
}
