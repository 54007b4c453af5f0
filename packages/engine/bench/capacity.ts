import { BLOCK_MS } from '@affine/chain'
import { computeQuota, PROTOCOL } from '@affine/duel'
import { make, type PerSide } from '@affine/envs'
import { pairsOf } from '../../../packages/blocks/test/play-plan.ts'
import { samplingBlocks } from '../src/own-lane.ts'
import {
  type Conduct,
  type Crowd,
  MEAN_MS,
  MEAN_PAUSE_MS,
  sampleAll,
  serversFor,
} from '../test/crowd.ts'

/*
 * Four validators sample the longest epoch of eight duels, on a fake clock, with the main network's
 * quotas and times. Each miner's endpoint has 1.5 times the capacity that the validators need on
 * average, and rejects or queues further calls. Then other clients make as many calls to each
 * endpoint as the validators make to a contender.
 */
const validators = 4
const samplingMs = samplingBlocks(PROTOCOL) * BLOCK_MS
const quota = Object.fromEntries(
  Object.entries(PROTOCOL.envs).map(([env, constants]) => [env, computeQuota(8, constants)]),
)
const contenders = Array<Conduct>(PROTOCOL.duelsMost).fill('answers')
const boundless = { champion: Infinity, contender: Infinity }
const alone = {
  validators: 1,
  quota,
  samplingMs,
  servers: boundless,
  isQueueing: false,
  contenders,
}
const { answered } = await sampleAll(alone)
const servers = serversFor(1.5 * validators, answered, samplingMs)
const sidesText = ({ champion, contender }: PerSide<number>) =>
  `${champion} of the champion and ${contender} of a contender`
console.log(`calls by each validator: ${sidesText(answered)}; servers: ${sidesText(servers)}`)

const crowd = { ...alone, validators, servers }
await measure('further calls refused', { ...crowd, isQueueing: false })
await measure('further calls queued', { ...crowd, isQueueing: true })
const foreign = Math.ceil(
  (validators * answered.contender * (MEAN_MS + MEAN_PAUSE_MS)) / samplingMs,
)
await measure('refused, and as many foreign calls', { ...crowd, isQueueing: false, foreign })

async function measure(name: string, crowd: Crowd): Promise<void> {
  const began = performance.now()
  const { samples } = await sampleAll(crowd)
  const pairs = pairsOf(samples)
  const games = pairs.filter(({ env }) => make(env).spec.game !== undefined)
  const others = pairs.filter(({ env }) => make(env).spec.game === undefined)
  const unbegun = games.filter(({ champion, contender }) => champion.fault && contender.fault)
  const lost = games.filter(({ champion, contender }) => champion.fault !== contender.fault)
  const sides = others.flatMap(({ champion, contender }) => [champion, contender])
  const silent = sides.filter(({ fault }) => fault === 'no-reply')
  const percent = (part: unknown[], all: unknown[]) =>
    `${((100 * part.length) / all.length).toFixed(1)} %`
  const seconds = ((performance.now() - began) / 1000).toFixed()
  console.log(`${name}, in ${seconds} s:`)
  const shares = `${percent(lost, games)} lost and ${percent(unbegun, games)} not begun`
  console.log(`  of ${games.length} games ${shares} for lack of a turn`)
  console.log(`  of ${sides.length} other episodes ${percent(silent, sides)} without a reply`)
}
