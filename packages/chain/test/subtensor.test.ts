import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import vectors from '../../../vectors/chain/timelock.json' with { type: 'json' }
import {
  type SaltStore,
  type Subtensor,
  type SubtensorOptions,
  subtensor,
} from '../src/bittensor/subtensor.ts'
import type { Chain, Head, UidWeights } from '../src/index.ts'
import { chainSuite, settle } from './chain-suite.ts'
import { type DevSubnet, prepareSubnet, type SubnetOptions } from './dev-subnet.ts'

const url = process.env.SUBTENSOR_ENDPOINT ?? ''
const tempo = 10

/** Needs a development chain, see dev-subnet.ts. `pnpm test:chain` runs them. */
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

  /** Lets blocks pass until the check holds. */
  async function eventually<T>(
    check: () => Promise<T | null | undefined>,
    blocks = 3 * tempo,
  ): Promise<T> {
    for (let i = 0; i < blocks; i++) {
      const found = await settled(check())
      if (found != null) return found
      await subnet.advance()
    }
    throw new Error(`not within ${blocks} blocks`)
  }

  chainSuite('subtensor', async (limits) => {
    const subnet = await prepareSubnet(url, { validators: 2, miners: 1, tempo, limits })
    const { netuid, validators, miners, stranger, advance } = subnet
    const stallMs = 600_000 // longer than any test: nothing may depend on it
    const chain = await subtensor({ endpoints: [url], netuid, random, now: Date.now, stallMs })
    const close = () => Promise.all([chain.close(), subnet.close()])
    return { chain, validators, miner: miners[0]!, stranger, advance, close }
  })

  describe('nodes', () => {
    prepare()

    test('the runtime has all that is asked of it', async () => {
      expect(await (await open()).runtimeFaults?.()).toEqual([])
    })

    test('a chain with another genesis is refused', async () => {
      const { genesis } = await open()
      expect((await open({ genesis })).genesis).toBe(genesis)
      expect(await refusal(open({ genesis: 'ab'.repeat(32) }))).toBe('WrongGenesis')
    })

    test('a subnet that does not exist is refused', async () => {
      expect(await refusal(open({ netuid: 65_000 }))).toBe('SubnetNotExists')
    })

    test('nobody at any endpoint is told with the address', async () => {
      const [first, second] = [await proxy(), await proxy()]
      await Promise.all([first.cut(), second.cut()])
      const error = await open({ endpoints: [first.url, second.url] }).catch((error) => error)
      expect(error.code).toBe('Unreachable')
      expect(error.message).toMatch(new RegExp(`${first.url}|${second.url}`))
    })

    test('the subnet is not there before its block', async () => {
      expect(await refusal((await open()).snapshot(1))).toBe('SubnetNotExists')
      expect(await refusal((await open()).weights(1))).toBe('SubnetNotExists')
    })

    test.each(['cut', 'silence'] as const)(
      'at a %s the next one takes over, and no head is missed',
      async (how) => {
        const first = await proxy()
        const heard: string[] = []
        const onRetry = (error: Error) => void heard.push(error.message)
        const chain = await open({ endpoints: [first.url, url], stallMs: 15_000, onRetry })
        const stop = new AbortController()
        const numbers: number[] = []
        const following = (async () => {
          for await (const { number } of chain.heads(stop.signal)) numbers.push(number)
        })()
        await eventually(async () => numbers.length >= 2 || null)
        const before = (await chain.head()).number
        await first[how]()
        await subnet.advance(3)
        const { number } = await settled(chain.commit(subnet.miners[0]!, [Uint8Array.of(7)]))
        await eventually(async () => numbers.includes(number + 2) || null)
        stop.abort()
        await following
        expect(number).toBeGreaterThan(before)
        expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i))
        expect(heard.join()).not.toBe('')
        await first.cut()
      },
    )
  })

  describe('commit and reveal', () => {
    prepare({ validators: 3, revealPeriod: 1 })
    let salts: SaltStore & { close(): Promise<void> }
    beforeAll(async () => {
      salts = await folder()
    })
    afterAll(() => salts.close())
    const weights = [
      [1, 20],
      [2, 40],
    ] as const
    const kept = [
      [1, 32_768],
      [2, 65_535],
    ]

    test('the snapshot says so, and a store for the salts is needed', async () => {
      const chain = await open()
      expect((await chain.snapshot((await chain.head()).number)).revealPeriod).toBe(1)
      expect(await refusal(chain.setWeights(subnet.validators[0]!, weights))).toBe('NoSalts')
    })

    test('weights are hidden until they are revealed, by another instance with the same salts', async () => {
      const [alice, bob] = [subnet.validators[0]!, subnet.validators[1]!]
      const first = await open({ salts })
      expect(await first.reveal(alice)).toBeNull()
      const committed = await settled(first.setWeights(alice, weights))
      expect(await first.blockHash(committed.number)).toBe(committed.hash)
      expect(await weightsOf(first, alice, committed)).toBeUndefined()
      await first.close()

      const second = await open({ salts })
      const head = await eventually(() => second.reveal(alice))
      expect(await weightsOf(second, alice, head)).toEqual(kept)
      expect(await weightsOf(second, alice, { number: head.number - 1 })).toBeUndefined()
      expect(await second.reveal(alice)).toBeNull()
      expect(await second.reveal(bob)).toBeNull()
    })

    test('of two commits, the later one stays', async () => {
      const bob = subnet.validators[1]!
      const chain = await open({ salts })
      for (const uid of [1, 2]) await settled(chain.setWeights(bob, [[uid, 1]]))
      const want = [[2, 65_535]]
      await eventually(async () => {
        const head = await chain.reveal(bob)
        return (
          (head && JSON.stringify(await weightsOf(chain, bob, head)) === JSON.stringify(want)) ||
          null
        )
      })
    })

    test('without the salts nothing can be revealed, and a missed reveal does not stop the next', async () => {
      const alice = subnet.validators[0]!
      const [chain, other] = [await open({ salts }), await folder()]
      const without = await open({ salts: other })
      await settled(chain.setWeights(alice, [[0, 1]]))
      for (let i = 0; i < 2 * (tempo + 1); i++) {
        expect(await without.reveal(alice)).toBeNull()
        await subnet.advance()
      }
      expect(await chain.reveal(alice)).toBeNull()
      await settled(chain.setWeights(alice, [[1, 1]]))
      const head = await eventually(() => chain.reveal(alice))
      expect(await weightsOf(chain, alice, head)).toEqual([[1, 65_535]])
      await other.close()
    })

    test('a timelock is opened by the chain itself, with the signature of its round', async ({
      skip,
    }) => {
      if (!subnet.isPuppet) skip('only a puppet can be given a signature')
      const { api, netuid } = subnet
      const carol = subnet.validators[2]!
      const { round, signature } = vectors.cases[0]!.input
      const randomness = createHash('sha256').update(Buffer.from(signature, 'hex')).digest('hex')
      const pulse = { round, randomness: `0x${randomness}`, signature: `0x${signature}` }
      const read = async (pallet: string, item: string, ...keys: unknown[]) =>
        JSON.stringify(await api.query[pallet]![item]!(...keys))
      /** What is written while a block is made is not in it: until it is there. */
      const store = (values: object, check: () => Promise<boolean>) =>
        eventually(() => subnet.store({ Drand: values }).then(async () => (await check()) || null))
      const last = round - 10 // so the chain's drand is not far behind
      await store(
        { Pulses: [[[round], pulse]] },
        async () => (await read('drand', 'pulses', round)) !== 'null',
      )
      await store(
        { lastStoredRound: last },
        async () => (await read('drand', 'lastStoredRound')) === `${last}`,
      )

      const time = 1_692_803_367_000 + round * 3000 + 2900 // so that a block or two do no harm
      const chain = await open({ now: () => time - untilReveal() })
      let untilReveal = () => 0
      const commit = async (): Promise<Head | null> => {
        const { number } = await chain.head()
        const epoch = Math.floor((number + 1 + netuid + 1) / (tempo + 1))
        const opening = (epoch + 1) * (tempo + 1) - netuid - 1 + 3
        untilReveal = () => (opening - number) * Number(api.consts.aura!.slotDuration)
        const sending = chain.setWeights(carol, [[2, 5]])
        // No block may come before it is in the pool.
        await expect.poll(() => api.rpc.author.pendingExtrinsics()).not.toHaveLength(0)
        await settled(sending)
        const commits = JSON.stringify(
          await api.query.subtensorModule!.crv3WeightCommits!.entries(netuid),
        )
        return commits.includes(`${round}`) ? sending : null
      }
      let committed = await commit()
      for (let tries = 1; committed === null && tries < 5; tries++) committed = await commit() // one came all the same
      expect(await weightsOf(chain, carol, committed!)).toBeUndefined()
      const want: UidWeights = await eventually(async () =>
        weightsOf(chain, carol, await chain.head()),
      )
      expect(want).toEqual([[2, 65_535]])
    })
  })
})

/** A store of salts in a new folder. */
async function folder(): Promise<SaltStore & { close(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'affine-salts-'))
  return {
    read: (path) => readFile(join(root, path)).catch(() => null),
    async write(path, bytes) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), bytes, { flag: 'wx' })
    },
    close: () => rm(root, { recursive: true }),
  }
}

/** Another way to the chain, which can be cut off or fall silent. */
async function proxy(): Promise<{ url: string; cut(): Promise<void>; silence(): Promise<void> }> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(Number(port || 80), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.push(from)
      from.on('data', (data) => isSilent || to.write(data))
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
    silence: async () => {
      isSilent = true
    },
  }
}
