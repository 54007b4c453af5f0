import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { bucketIn } from '../../apps/validator/src/buckets/backends.ts'
import { placesOf } from '../../apps/validator/src/settings/settings.ts'
import type { Sample } from '../../packages/blocks/src/index.ts'
import { pairsOf } from '../../packages/blocks/test/play-plan.ts'
import { account, BLOCK_MS, encodeCommitment, LocalChain } from '../../packages/chain/src/index.ts'
import type { Event } from '../../packages/engine/src/setup.ts'
import { Validator } from '../../packages/engine/src/validator.ts'
import { openChutes, playerReply } from '../../packages/miners/src/index.ts'
import { NODE_CALLER } from '../../packages/miners/src/node/index.ts'
import {
  answers,
  closeServers,
  completion,
  type Handle,
  published,
  serveChutes,
} from '../../packages/miners/test/servers.ts'
import { LOCAL_NETWORK as network, recompute } from '../../packages/settlement/src/index.ts'
import { testFolder } from '../test-folder.ts'

/*
 * A miner's chute refuses every call, as its owner may choose to. A validator samples a duel with
 * it over sockets, on a stand-in for Chutes, and seals its lane on a chain; whoever reads chain and
 * buckets then decides the epoch.
 */
const STAKE = 1_000_000_000_000
const { epochBlocks, sealBlock } = network.protocol
const keyOf = (byte: number) => account(new Uint8Array(32).fill(byte))
const [own, first, second] = [keyOf(1), keyOf(2), keyOf(3)] as const
const roles = ['champion', 'contender'] as const
const minerOf = (hotkey: string) => ({
  hotkey,
  model: `me/${hotkey}`,
  revision: 'ab'.repeat(20),
  chute: randomUUID(),
})
const miners = { champion: minerOf(first.hotkey), contender: minerOf(second.hotkey) }
const root = testFolder('refuses')
let count = 0

afterAll(closeServers)

/** A chain on which the two miners have committed, the champion first. */
async function chainOfDuel(): Promise<LocalChain> {
  let drawn = 0
  const neurons = [own, first, second].map(({ hotkey }) => ({
    hotkey,
    stake: hotkey === own.hotkey ? BigInt(STAKE) : 0n,
  }))
  const params = { tempo: epochBlocks, weightsRateLimit: 1, stakeThreshold: STAKE }
  const random = () => new Uint8Array(32).fill(drawn++)
  const chain = LocalChain.create({ netuid: 120, random, neurons, params })
  for (const key of [first, second]) {
    const { hotkey: _, ...said } = miners[key === first ? 'champion' : 'contender']
    const included = chain.commit(key, encodeCommitment({ kind: 'miner', ...said }))
    await chain.produce(chain.height * BLOCK_MS)
    await included
  }
  return chain
}

const plays: Handle = (_, response, __, body) => {
  const prompt = JSON.parse(body).messages.at(-1).content
  const id = { 'x-chutes-invocationid': randomUUID() }
  response.writeHead(200, id).end(completion(playerReply(prompt, { skill: 0.8, seed: 'any' })))
}
const pathOf = (slug: string) => `/${slug}/v1/chat/completions`

/** A validator on the chain of the duel, and what it is asked and says. */
async function validating(routes: Readonly<Record<string, Handle>>) {
  const chain = await chainOfDuel()
  const descriptions = roles.map((role) => {
    const miner = miners[role]
    return published(miner, role)
  })
  const { place, asked } = await serveChutes({
    ...Object.assign({}, ...descriptions),
    [pathOf('champion')]: plays,
    [pathOf('contender')]: plays,
    ...routes,
  })
  const events: Event[] = []
  const on = (event: Event) => void events.push(event)
  const [folder, bucket] = [join(root, `${count++}`), join(root, 'buckets', `${count++}`)]
  const places = placesOf({ folder, bucket: bucketIn(bucket) }, own.hotkey, network)
  const options = { ...NODE_CALLER, apiKey: 'cpk_1', concurrency: 8, on, pauseMs: 100 }
  const { agents: agent } = openChutes({ ...options, ...place })
  const random = (size: number) => new Uint8Array(size).fill(9)
  const given = { chain, account: own, network, emit: true, now: () => 0, random, agent, on }
  const validator = new Validator({ ...places, ...given })
  const produce = async () => validator.onHead(await chain.produce(chain.height * BLOCK_MS))
  const problems = () =>
    events.flatMap((event) =>
      event.type === 'problem' ? [`${event.what}: ${event.error.message}`] : [],
    )
  const wasSealed = () => events.some((event) => event.type === 'sent' && event.what === 'seal 2')
  return { chain, validator, produce, asked, problems, wasSealed, openBucket: places.openBucket }
}

test.each([
  [401, 'contender'],
  [403, 'contender'],
  [401, 'champion'],
  [403, 'champion'],
] as const)(
  '%i to every call, from the %s: its own loss, and the lane counts',
  async (status, role) => {
    const account = answers(200, { balance: 5 })
    const refuses = { [pathOf(role)]: answers(status), '/users/me': account }
    const { chain, validator, produce, wasSealed, openBucket } = await validating(refuses)
    while (chain.height < 3 * epochBlocks) {
      await produce()
      await validator.idle()
    }
    expect(wasSealed()).toBe(true)

    const samples: Sample[] = []
    const onSample = (sample: Sample) => void samples.push(sample)
    const epochs = []
    for await (const epoch of recompute({ chain, network, openBucket, onSample }))
      epochs.push(epoch)
    expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
    expect(epochs[2]?.report.lanes[own.hotkey]).toMatchObject({ accepted: true })
    expect(samples.length).toBeGreaterThan(0)
    const other = role === 'champion' ? 'contender' : 'champion'
    for (const sample of pairsOf(samples)) {
      // A game may be over before it is asked.
      if (sample[role].messages.length === 0) {
        expect([sample.env, sample[other].reward]).toEqual(['hex@0.1.0', -1])
        continue
      }
      expect([sample[role].fault, sample[other].fault]).toEqual(['no-reply', undefined])
      expect(sample[role].messages.length).toBe(1)
    }
  },
)

test.each([401, 403])(
  '%i because of the account: nobody is blamed, and asking stops',
  async (status) => {
    const dry = { '/users/me': answers(status), [pathOf('contender')]: answers(status) }
    const { chain, validator, produce, asked, problems, wasSealed } = await validating(dry)
    while (chain.height < 2 * epochBlocks - 1) {
      await produce()
      await validator.idle()
    }
    await produce() // sampling begins
    while (asked('/users/me').length < 4) await sleep(5) // what was on its way has come back
    const calls = () => roles.map((role) => asked(pathOf(role)).length)
    const before = calls()
    while (asked('/users/me').length < 7) await sleep(5)
    expect(calls()).toEqual(before)
    while (chain.height < 2 * epochBlocks + sealBlock) await produce()
    await validator.idle()
    expect(wasSealed()).toBe(false)
    expect(problems().some((problem) => problem.endsWith('its lane is not sealed'))).toBe(true)
  },
)
