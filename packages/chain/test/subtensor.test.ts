import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import vectors from '../../../vectors/chain/timelock.json' with { type: 'json' }
import { type Subtensor, type SubtensorOptions, subtensor } from '../src/bittensor/subtensor.ts'
import { type Chain, ed25519Account, type Head, type UidWeights } from '../src/index.ts'
import { chainSuite, settle } from './chain-suite.ts'
import { type DevSubnet, prepareSubnet, type SubnetOptions } from './dev-subnet.ts'

const url = process.env.SUBTENSOR_ENDPOINT ?? ''
const tempo = 10

/** Requires a development chain, see dev-subnet.ts. `pnpm test:chain` runs these tests. */
describe.skipIf(url === '')('on a development chain', { timeout: 1_800_000 }, () => {
  let subnet: DevSubnet
  const opened: Subtensor[] = []
  const prepare = (options: Partial<SubnetOptions> = {}) =>
    beforeAll(async () => {
      subnet = await prepareSubnet(url, { validators: 2, miners: 1, tempo, ...options })
      return () => subnet.close()
    }, 1_800_000)
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((chain) => chain.close()))
  })

  async function open(options: Partial<SubtensorOptions> = {}): Promise<Subtensor> {
    const chain = await subtensor({
      endpoints: [url],
      netuid: subnet.netuid,
      random,
      now: Date.now,
      ...options,
    })
    opened.push(chain)
    return chain
  }
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const settled = <T>(promise: Promise<T>) => settle(promise, subnet.advance)
  const refusal = (promise: Promise<unknown>) =>
    settled(promise).then(String, (error) => error.code)
  const weightsOf = async (
    chain: Chain,
    { hotkey }: { hotkey: string },
    { number }: Pick<Head, 'number'>,
  ) => (await chain.weights(number))[hotkey]

  /** Advances blocks until the check has a result. */
  async function eventually<T>(check: () => Promise<T | null | undefined>): Promise<T> {
    for (let i = 0; i < 3 * tempo; i++) {
      const found = await settled(check())
      if (found != null) return found
      await subnet.advance()
    }
    throw new Error(`not within ${3 * tempo} blocks`)
  }

  chainSuite('subtensor', async (limits) => {
    const newMiner = () => ed25519Account(randomBytes(32))
    const subnet = await prepareSubnet(url, { validators: 2, miners: 1, tempo, limits, newMiner })
    const { netuid, validators, miners, stranger, advance } = subnet
    const stallMs = 600_000 // longer than any test
    const chain = await subtensor({ endpoints: [url], netuid, random, now: Date.now, stallMs })
    const close = () => Promise.all([chain.close(), subnet.close()])
    return { chain, validators, miner: miners[0]!, stranger, advance, close }
  })

  describe('nodes', () => {
    prepare()

    test('reports no faults of the runtime', async () => {
      expect(await (await open()).runtimeFaults?.()).toEqual([])
    })

    test('rejects a chain with another genesis', async () => {
      const { genesis } = await open()
      expect((await open({ genesis })).genesis).toBe(genesis)
      expect(await refusal(open({ genesis: 'ab'.repeat(32) }))).toBe('WrongGenesis')
    })

    test('rejects a subnet that does not exist, and blocks before the subnet exists', async () => {
      expect(await refusal(open({ netuid: 65_000 }))).toBe('SubnetNotExists')
      expect(await refusal((await open()).snapshot(1))).toBe('SubnetNotExists')
      expect(await refusal((await open()).weights(1))).toBe('SubnetNotExists')
    })
  })

  describe('timelocked weights', () => {
    prepare({ revealPeriod: 1 })

    test('have their reveal period in the snapshot, and are refused if drand is late', async () => {
      const chain = await open()
      expect((await chain.snapshot((await chain.head()).number)).revealPeriod).toBe(1)
      const late = await open({ now: () => Date.now() + 86_400_000 })
      expect(await refusal(late.setWeights(subnet.validators[0]!, [[1, 65_535]]))).toBe(
        'DrandBehind',
      )
    })

    test('are decrypted by the chain with the signature of their drand round', async ({ skip }) => {
      if (!subnet.isPuppet) skip('only a puppet can be given a signature')
      const { api, netuid } = subnet
      const alice = subnet.validators[0]!
      const { round, signature } = vectors.cases[0]!.input
      const randomness = createHash('sha256').update(Buffer.from(signature, 'hex')).digest('hex')
      const pulse = { round, randomness: `0x${randomness}`, signature: `0x${signature}` }
      const read = async (pallet: string, item: string, ...keys: unknown[]) =>
        JSON.stringify(await api.query[pallet]![item]!(...keys))
      /** Writes storage until it is in a block, since a block in progress does not include it. */
      const store = (values: object, check: () => Promise<boolean>) =>
        eventually(() => subnet.store({ Drand: values }).then(async () => (await check()) || null))
      const last = round - 10 // the chain's drand must not be far behind
      await store(
        { Pulses: [[[round], pulse]] },
        async () => (await read('drand', 'pulses', round)) !== 'null',
      )
      await store(
        { lastStoredRound: last },
        async () => (await read('drand', 'lastStoredRound')) === `${last}`,
      )

      const time = 1_692_803_367_000 + round * 3000 + 2900 // leaves time for a block or two
      const chain = await open({ now: () => time - untilReveal() })
      let untilReveal = () => 0
      const commit = async (): Promise<Head | null> => {
        const { number } = await chain.head()
        const epoch = Math.floor((number + 1 + netuid + 1) / (tempo + 1))
        const opening = (epoch + 1) * (tempo + 1) - netuid - 1 + 3
        untilReveal = () => (opening - number) * Number(api.consts.aura!.slotDuration)
        const sending = chain.setWeights(alice, [[2, 65_535]])
        // Blocks must wait until the call is in the pool.
        await expect.poll(() => api.rpc.author.pendingExtrinsics()).not.toHaveLength(0)
        await settled(sending)
        const commits = JSON.stringify(
          await api.query.subtensorModule!.crv3WeightCommits!.entries(netuid),
        )
        return commits.includes(`${round}`) ? sending : null
      }
      let committed = await commit()
      for (let tries = 1; committed === null && tries < 5; tries++) committed = await commit() // a block came in between
      expect(await weightsOf(chain, alice, committed!)).toBeUndefined()
      const want: UidWeights = await eventually(async () =>
        weightsOf(chain, alice, await chain.head()),
      )
      expect(want).toEqual([[2, 65_535]])
    })
  })
})
