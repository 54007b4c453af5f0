import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { Sample } from '../../packages/blocks/src/index.ts'
import { pairsOf } from '../../packages/blocks/test/play-plan.ts'
import { type Account, BLOCK_MS } from '../../packages/chain/src/index.ts'
import {
  chainOf,
  miner as champion,
  contender,
  own,
  validatorOf,
} from '../../packages/engine/test/one-validator.ts'
import { openChutes } from '../../packages/miners/src/index.ts'
import { NODE_CALLER } from '../../packages/miners/src/node/index.ts'
import {
  answers,
  type Handle,
  plays,
  published,
  serveChutes,
} from '../../packages/miners/test/servers.ts'
import { LOCAL_NETWORK as network, recompute } from '../../packages/settlement/src/index.ts'
import { testFolder } from '../test-folder.ts'
import { closeServers } from '../web-server.ts'

/*
 * A miner's chute refuses every call. A validator samples a duel with it over sockets, on a
 * stand-in for Chutes, and seals its lane on a chain. Recomputation then decides the epoch.
 */
const { epochBlocks, sealBlock } = network.protocol
const roles = ['champion', 'contender'] as const
const minerOf = ({ hotkey }: Account) => {
  return { hotkey, model: `me/${hotkey}`, revision: 'ab'.repeat(20), chute: randomUUID() }
}
const miners = { champion: minerOf(champion), contender: minerOf(contender) }
const root = testFolder('refuses')
let count = 0

afterAll(closeServers)

const pathOf = (slug: string) => `/${slug}/v1/chat/completions`

/** Starts a validator on the chain of a duel, with these routes on the stand-in for Chutes. */
async function validating(routes: Readonly<Record<string, Handle>>) {
  const chain = await chainOf([champion, contender], (miner) =>
    miner === champion ? miners.champion : miners.contender,
  )
  const usual = roles.map((role) => ({ ...published(miners[role], role), [pathOf(role)]: plays }))
  const { place, requestsTo } = await serveChutes(Object.assign({}, ...usual, routes))
  const options = { ...NODE_CALLER, apiKey: 'cpk_1', concurrency: 8, pauseMs: 100 }
  const { agent } = openChutes({ ...options, ...place })
  return { chain, requestsTo, ...validatorOf(chain, join(root, `${count++}`, 'own'), { agent }) }
}

test.each([
  [401, 'contender'],
  [403, 'champion'],
] as const)(
  'counts the lane, and status %i to every call as a loss of the %s',
  async (status, role) => {
    const account = answers(200, { balance: 5 })
    const refuses = { [pathOf(role)]: answers(status), '/users/me': account }
    const { chain, follow, sent, bucket } = await validating(refuses)
    await follow(3 * epochBlocks)
    expect(sent()).toContain('seal 2')

    const samples: Sample[] = []
    const onSample = (sample: Sample) => void samples.push(sample)
    const openBucket = (name: string) => ({ name, ...bucket })
    const epochs = []
    for await (const epoch of recompute({ chain, network, openBucket, onSample }))
      epochs.push(epoch)
    expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
    expect(epochs[2]?.report.lanes[own.hotkey]).toMatchObject({ accepted: true })
    expect(samples.length).toBeGreaterThan(0)
    const other = role === 'champion' ? 'contender' : 'champion'
    for (const sample of pairsOf(samples)) {
      // A game may end before the miner is asked.
      if (sample[role].messages.length === 0) {
        expect([sample.env, sample[other].reward]).toEqual(['hex@0.1.0', -1])
        continue
      }
      expect([sample[role].fault, sample[other].fault]).toEqual(['no-reply', undefined])
      expect(sample[role].messages.length).toBe(1)
    }
  },
)

test('blames no miner for a status that the account gets too, and stops calling miners', async () => {
  const dry = { '/users/me': answers(401), [pathOf('contender')]: answers(401) }
  const { chain, validator, follow, requestsTo, problems, sent } = await validating(dry)
  const produce = async () => validator.onHead(await chain.produce(chain.height * BLOCK_MS))
  await follow(2 * epochBlocks - 1)
  await produce() // sampling begins
  while (requestsTo('/users/me').length < 4) await sleep(5) // until pending calls have returned
  const calls = () => roles.map((role) => requestsTo(pathOf(role)).length)
  const before = calls()
  while (requestsTo('/users/me').length < 7) await sleep(5)
  expect(calls()).toEqual(before)
  while (chain.height < 2 * epochBlocks + sealBlock) await produce()
  await validator.idle()
  expect(sent()).not.toContain('seal 2')
  const error = expect.objectContaining({ code: 'key-refused' })
  expect(problems()).toContainEqual(expect.objectContaining({ error }))
})
