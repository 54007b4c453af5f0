import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, account } from '@affine/chain'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DevSubnet, prepareSubnet } from '../../../packages/chain/test/dev-subnet.ts'
import { AF, AF_VERIFY, killAll, type RunningProcess, run, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { listen } from '../../../test/web-server.ts'
import { writeIn } from './commands.ts'

const url = process.env.SUBTENSOR_ENDPOINT ?? ''
const EPOCH_BLOCKS = 30
const SEAL_BLOCK = 20
const TEMPO = 10
const BLOCK_MS = 500

const root = testFolder('development-chain')
afterAll(killAll)

/** Opens a TCP port that forwards to the chain's node until `cut` closes it. */
async function cuttable(): Promise<{ readonly url: string; cut(): void }> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => socket.destroy()))
    near.pipe(far).pipe(near)
  })
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: (await listen(server)).replace('http', 'ws'), cut }
}

/**
 * Runs subnets of separate processes on a node of Bittensor's chain, with `pnpm test:chain`.
 */
describe.skipIf(url === '')('on a development chain', { timeout: 1_800_000 }, () => {
  let folder: string
  let subnet: DevSubnet
  let ticking: Promise<void>
  let stopped = false

  beforeEach(async () => {
    folder = await mkdtemp(join(root, 'subnet-'))
  })
  afterEach(async () => {
    stopped = true
    await ticking
    await subnet.close()
  }, 300_000)

  /** Creates a subnet of three validators and two miners, with key files, on a live chain. */
  async function open(): Promise<readonly string[]> {
    const keys: Promise<string>[] = []
    const newAccount = (): Account => {
      const seed = randomBytes(32)
      const made = account(seed)
      keys.push(writeIn(folder, seed.toString('hex'), made.hotkey))
      return made
    }
    subnet = await prepareSubnet(url, { validators: 3, miners: 2, tempo: TEMPO, newAccount })
    await Promise.all(keys)
    stopped = false
    ticking = (async () => {
      for (; !stopped; await sleep(subnet.isPuppet ? BLOCK_MS : 0)) await subnet.advance()
    })()
    const first = Math.floor((await head()) / EPOCH_BLOCKS) + 1
    return ['--netuid', `${subnet.netuid}`, '--first-epoch', `${first}`]
  }

  const head = async () => {
    const { chain } = subnet.api.rpc
    return (await chain.getHeader(await chain.getFinalizedHead())).number.toNumber()
  }
  const until = async (holds: (block: number) => boolean | Promise<boolean>) => {
    while (!(await holds(await head()))) await sleep(200)
  }
  const offset = (block: number) => block % EPOCH_BLOCKS
  /** Returns the uid of a hotkey, or null if it is not registered. */
  const uid = async (hotkey: string) =>
    (await subnet.api.query.subtensorModule!.uids!(subnet.netuid, hotkey)).toJSON()
  const isRegistered = async (hotkey: string) => (await uid(hotkey)) !== null

  /** Reads the weights on chain, without the client that the validators use. */
  async function rows(): Promise<Record<string, unknown>> {
    const entries = await subnet.api.query.subtensorModule!.weights!.entries(subnet.netuid)
    return Object.fromEntries(entries.map(([{ args }, row]) => [`${args[1]}`, row.toJSON()]))
  }

  /** Registers keys on the full subnet until this key is evicted. */
  async function evict(hotkey: string): Promise<void> {
    while (await isRegistered(hotkey)) await subnet.register(account(randomBytes(32)))
    for (const { hotkey } of subnet.validators) expect(await isRegistered(hotkey)).toBe(true)
  }

  /** Resolves once all validators have samples of a duel. */
  const sampling = () =>
    until(() =>
      [0, 1, 2].every((i) => {
        const journal = join(folder, `validator-${i}`, 'journal')
        return existsSync(journal) && readdirSync(journal).length > 0
      }),
    )

  const validate = (where: string, subnetOf: readonly string[], i: number): RunningProcess => {
    const { hotkey } = subnet.validators[i]!
    const own = ['--key', hotkey, '--folder', `validator-${i}`, '--buckets', 'buckets']
    return start(AF, ['validate', '--network', where, ...subnetOf, ...own], { cwd: folder })
  }

  /** Starts the miners, the weaker first. Resolves with the hotkey of the better miner. */
  async function mine(): Promise<string> {
    const where = ['miner', '--network', url, '--netuid', `${subnet.netuid}`]
    for (const [i, skill] of ['0.3', '0.95'].entries()) {
      const options = ['--key', subnet.miners[i]!.hotkey, '--skill', skill, '--port', '0']
      await start(AF, [...where, ...options], { cwd: folder }).says(/committed/)
    }
    return subnet.miners[1]!.hotkey
  }

  /** Resolves once all three validators have set all weight to this neuron. */
  async function waitForWeights(hotkey: string): Promise<void> {
    const want = JSON.stringify([[await uid(hotkey), 65_535]])
    const uids = await Promise.all(subnet.validators.map(({ hotkey }) => uid(hotkey)))
    await until(async () => {
      const found = await rows()
      return uids.every((uid) => JSON.stringify(found[`${uid}`]) === want)
    })
  }

  /** Expects all weight on this miner, and the same result from the verifier. */
  async function expectChampion(winner: string, subnetOf: readonly string[]): Promise<void> {
    await waitForWeights(winner)
    const verified = await run(AF_VERIFY, [join(folder, 'buckets'), '--network', url, ...subnetOf])
    expect(verified.stderr).toMatch(/^network: .*\n$/)
    expect(verified.stdout).toContain(`champion   ${winner}`)
    expect(verified.stdout).toContain('No problems found.')
    expect(verified.code).toBe(0)
  }

  test('the better miner gets all the weight despite restarts', async () => {
    const subnetOf = await open()
    const proxy = await cuttable()
    const validators = [0, 1, 2].map((i) =>
      validate(i === 0 ? `${proxy.url},${url}` : url, subnetOf, i),
    )
    await Promise.all(validators.map(({ says }) => says(/validating as/)))
    const winner = await mine()
    // During the duel's first lane a validator dies, and the node of another one disappears.
    await sampling()
    await until((block) => offset(block) > 2 && offset(block) < SEAL_BLOCK - 8)
    await validators[1]!.stop('SIGKILL')
    proxy.cut()
    const again = validate(url, subnetOf, 1)
    await expectChampion(winner, subnetOf)
    const left = [validators[0]!, again, validators[2]!]
    for (const { ended, stop } of left)
      expect((await Promise.all([stop(), ended]))[0].code).toBe(130)
    expect((await validators[0]!.ended).stdout).toContain(`"crowned":"${winner}"`)
  })

  test.each(['a contender in its duel', 'a new champion'])(
    'validators give all weight to %s that was evicted, once the miner registers again',
    async (when) => {
      const subnetOf = await open()
      const validators = [0, 1, 2].map((i) => validate(url, subnetOf, i))
      await Promise.all(validators.map(({ says }) => says(/validating as/)))
      const winner = await mine()
      // Validators and champion have emission by now and are not evicted.
      await waitForWeights(subnet.miners[0]!.hotkey)
      await sampling()
      await subnet.fill()
      // A new champion has no emission yet and is evicted like any miner.
      if (when === 'a new champion') await validators[0]!.says(/"crowned":"/)
      await evict(winner)
      await waitForWeights(subnet.owner.hotkey)
      await subnet.register(subnet.miners[1]!)
      await expectChampion(winner, subnetOf)
      for (const { stop } of validators) expect((await stop()).code).toBe(130)
    },
  )
})
