import { expect, test } from 'vitest'
import { listEpisodes, type Sample } from '../../packages/blocks/src/index.ts'
import { BLOCK_MS } from '../../packages/chain/src/index.ts'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { samplingBlocks } from '../../packages/engine/src/own-lane.ts'
import {
  type Conduct,
  type Crowd,
  contenderOf,
  sampleAll,
  serversFor,
} from '../../packages/engine/test/crowd.ts'

/*
 * A miner's endpoint has little capacity, strangers call it too, or a contender tries to delay
 * validators. Protocol §5.4: games come first and few run concurrently, each contender has its own
 * queue of games, and each miner its own limit of calls.
 */
const HEX = 'hex@0.1.0'
const samplingMs = samplingBlocks(PROTOCOL) * BLOCK_MS
const honest = Array<Conduct>(4).fill('answers')
const boundless = { champion: Infinity, contender: Infinity }
const alone: Crowd = {
  ...{ validators: 1, quota: { [HEX]: 32, 'mult8@0.1.0': 192 }, samplingMs, isQueueing: false },
  ...{ servers: boundless, contenders: honest },
}
const samplesOf = ({ validators, quota }: Crowd): number =>
  validators * (4 * (quota[HEX] ?? 0) + 5 * (quota['mult8@0.1.0'] ?? 0))

const isGame = ({ env }: Sample): boolean => env === HEX
/** Returns the number of episodes with a fault for each miner. */
function faultsOf(samples: readonly Sample[]): Readonly<Record<string, number>> {
  const faults: Record<string, number> = {}
  for (const { miner, fault } of samples.flatMap(listEpisodes))
    if (fault) faults[miner] = (faults[miner] ?? 0) + 1
  return faults
}

/** The calls of all games and challenges: of the champion, and of the contender with most calls. */
const needed = { champion: 1451, contender: 528 }

test('plays every game and challenge with capacity for 1.5 times the mean need', async () => {
  const servers = serversFor(1.5, needed, samplingMs)
  const { samples, answered } = await sampleAll({ ...alone, servers })
  expect(answered).toEqual(needed)
  expect(samples.length).toBe(samplesOf(alone))
  expect(faultsOf(samples)).toEqual({})
})

test('plays every game of four duels with capacity for 3 times the need and as many foreign callers', async () => {
  const servers = serversFor(3, needed, samplingMs)
  const { samples } = await sampleAll({ ...alone, servers, foreign: servers.champion })
  expect(faultsOf(samples.filter(isGame))).toEqual({})
})

const few: Crowd = { ...alone, quota: { [HEX]: 2, 'mult8@0.1.0': 12 } }
const usual = await sampleAll(few)
const CONDUCTS = ['stalls', 'refuses', 'denies', 'is down', 'floods', 'is large'] as const

test.each(CONDUCTS)('harms at most the contender that %s', async (conduct) => {
  const hostile = contenderOf(3)
  const contenders = honest.map((each, i) => (i === 3 ? conduct : each))
  const { samples, endedMs } = await sampleAll({ ...few, contenders })
  expect(samples.length).toBe(samplesOf(few))
  expect(faultsOf(samples)).toEqual(conduct === 'is large' ? {} : { [hostile]: 14 })
  // The champion's end is not compared, since its last game is with the hostile contender.
  for (const hotkey of honest.map((_, i) => contenderOf(i)).filter((each) => each !== hostile))
    expect(endedMs[hotkey]).toBeLessThan(1.1 * (usual.endedMs[hotkey] ?? 0))
})
