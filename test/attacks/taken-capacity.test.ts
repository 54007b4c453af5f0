import { expect, test } from 'vitest'
import type { Sample } from '../../packages/blocks/src/index.ts'
import { type Conduct, type Crowd, MEAN_MS, sampleAll } from '../../packages/engine/test/crowd.ts'

/*
 * A miner's endpoint has room for half as many calls again as its validators need on average, and
 * refuses the others. Strangers call it too, or the other miner does what may hold validators up.
 * Protocol §5.4: games go first and are few at a time, their calls are repeated soon, and each
 * miner has a bound of its own.
 */
const HEX = 'hex@0.1.0'
const validators = 8
const samplingMs = 600_000
const quota = { [HEX]: 12, 'mult8@0.1.0': 400 }
const alone = { validators: 1, quota, samplingMs, servers: Infinity, isQueueing: false }
const { answered } = await sampleAll(alone)
const servers = Math.ceil((1.5 * validators * answered * MEAN_MS) / samplingMs)
const crowd: Crowd = { ...alone, validators, servers }

const isGame = ({ env }: Sample): boolean => env === HEX
const faultsOf = (samples: readonly Sample[]) => ({
  champion: samples.filter(({ champion }) => champion.fault).length,
  contender: samples.filter(({ contender }) => contender.fault).length,
})

test('with room for 1.5 times the mean need, every game and challenge has its turn', async () => {
  const { samples } = await sampleAll(crowd)
  expect(samples.length).toBe(validators * (12 + 400))
  expect(faultsOf(samples)).toEqual({ champion: 0, contender: 0 })
})

test('strangers with four times as many callers as it has servers take no game', async () => {
  const { samples } = await sampleAll({ ...crowd, foreign: 4 * servers })
  expect(faultsOf(samples.filter(isGame))).toEqual({ champion: 0, contender: 0 })
})

const conducts: readonly Conduct[] = ['stalls', 'refuses', 'is large']

test.each(conducts)('a contender that %s costs itself alone', async (contender) => {
  const { samples } = await sampleAll({ ...crowd, validators: 2, contender })
  const all = samples.length
  const costs = contender === 'is large' ? 0 : all
  expect(faultsOf(samples)).toEqual({ champion: 0, contender: costs })
})
