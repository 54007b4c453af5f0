/*
 * Liars with just under a third of the weight report few decisive challenges, so that the variance
 * seems small and lucky results suffice for a win. Protocol §8.6: the greatest variance of all
 * lanes applies.
 */
import { expect, test } from 'vitest'
import { RATIO_PPM, simulate } from '../../packages/duel/bench/duels.ts'
import { PROMISED } from '../../packages/duel/bench/promises.ts'
import { equal, fieldOf } from '../../packages/duel/bench/stakes.ts'
import { ENVS, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, votersOf } from './deciding.ts'

const validators = votersOf(7)
const liars = validators.slice(0, 2)

test('crowns no contender for twenty wins of 32 when two of seven lanes report seven wins and no losses', () => {
  const rates = (voter: string) =>
    liars.includes(voter) ? ([7 / 32, 0] as const) : ([20 / 32, 12 / 32] as const)
  const { report } = after(startedDuels({ validators }), { validators, rates })
  const [duel] = report.duels
  for (const env of ENVS) expect(duel?.envs[env]).toMatchObject({ setAside: [], given: undefined })
  expect(duel?.standing).toBe('open')
})

test('crowns a contender at the ratio to beat no more often than promised, and always at p = 0.6', () => {
  const cell = { field: fieldOf(equal(7)), tied: 0, strategy: 'thin' } as const
  const wonWith = (p: number) => simulate({ ...cell, p }, 80, 7n).won
  expect(wonWith(RATIO_PPM / 1e6)).toBeLessThanOrEqual(PROMISED.falseWins)
  expect(wonWith(0.6)).toBe(1)
})
