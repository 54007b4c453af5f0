import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { blockPath, statePath } from '@affine/blocks'
import {
  type Account,
  account,
  decodeCommitment,
  encodeCommitment,
  serveLocal,
} from '@affine/chain'
import { parseState } from '@affine/duel'
import { listen } from '@affine/node/listen'
import { digest } from '@affine/prng'
import { LOCAL_NETWORK, listSeals, locateBlock, sealBlock } from '@affine/settlement'
import { AF, type RunningProcess, start } from '../../../test/processes.ts'
import { createChain, servingOf, writeIn } from './commands.ts'
import { recomputeIn } from './played-subnet.ts'

/** Stakes of the validators, in multiples of the minimum for a permit. */
const STAKES = [4n, 4n, 1n, 1n]
/** Number of validators, at the start of the list, for which the chain always waits. */
export const STEADY = 2
const STAKE = 1_000_000_000_000n
const BLOCK_MS = 50
const FAULTS = new URL('../../../test/faults.mjs', import.meta.url).href
const { protocol } = LOCAL_NETWORK
/**
 * Maximum time that the chain waits for its validators in each half of an epoch, spread over the
 * blocks. Killed validators need it to restart, and retries happen at the next block.
 */
const PATIENCE_MS = 10_000
/**
 * Maximum time that the chain waits for steady validators at one block. It is limited, because
 * validators act only when there is a block.
 */
const STEADY_MS = 10_000
/**
 * Blocks of an epoch from which the chain waits for seals, for the reading of lanes, and for
 * attestations.
 */
const [SEAL_FROM, READ_FROM, ATTEST_FROM] = [
  protocol.sealBlock - 14,
  protocol.epochBlocks - 6,
  protocol.epochBlocks - 3,
]
/** Blocks of an epoch at which the chain stops waiting for what was due before them. */
const ENDS = [protocol.sealBlock, READ_FROM, ATTEST_FROM]

/** A validator of the subnet: its key, and its folders. */
export interface Seat {
  readonly account: Account
  readonly folder: string
  readonly bucket: string
  /** Every sealed head, by epoch. */
  readonly seals: Map<number, Set<string>>
  /** Epochs that it attested. */
  readonly attested: Set<number>
  /** Epochs in which its sealed lane was published in time. */
  readonly inTime: Set<number>
  /** Starts the validator's process, with `faults` as in faults.mjs. */
  validate(faults?: object): RunningProcess
}

export type RunningSubnet = Awaited<ReturnType<typeof startSubnet>>

const held = new Set<string>()

/** Reports whether this bucket contains the lane that ends at `head`. */
function hasLane(bucket: string, head: string): boolean {
  const key = `${bucket} ${head}`
  for (let hash = head; !held.has(key); ) {
    const file = join(bucket, blockPath(hash))
    if (!existsSync(file)) return false
    const { height, prev } = JSON.parse(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '')
    if (height === 0) held.add(key)
    hash = prev
  }
  return true
}

/**
 * Starts a subnet. Its chain is served over HTTP from this process; miners and validators are
 * processes. A better process serves the first miner, a weaker process the others.
 */
export async function startSubnet(seed: string, miners: number) {
  const root = await mkdtemp(join(tmpdir(), 'running-'))
  const buckets = join(root, 'buckets')
  const bytes = (...parts: (string | number)[]) =>
    Buffer.from(digest('running subnet', seed, ...parts), 'hex')
  const accounts = Array.from({ length: STAKES.length + miners }, (_, i) =>
    account(bytes('key', i)),
  )
  let drawn = 0
  const chain = createChain({
    netuid: 120,
    random: () => bytes('entropy', drawn++),
    time: Date.now(),
    neurons: accounts.map(({ hotkey }, i) => ({ hotkey, stake: STAKE * (STAKES[i] ?? 0n) })),
    // A restarted validator repeats its commitments, so their size is unlimited.
    params: { tempo: protocol.epochBlocks, weightsRateLimit: 1, commitmentBytes: 1_000_000 },
  })
  const server = await listen(serveLocal(chain, 1000), 0)

  const seatOf = async (account: Account, i: number): Promise<Seat> => {
    const key = await writeIn(root, bytes('key', i).toString('hex'))
    const folder = join(root, `validator-${i}`)
    const places = `--folder ${folder} --buckets ${buckets}`
    const words = `validate --network ${server.url} --key ${key} ${places}`.split(' ')
    const validate: Seat['validate'] = (faults) => {
      const env = { FAULTS: JSON.stringify(faults), NODE_OPTIONS: `--import ${FAULTS}` }
      return start(AF, [...words, '--concurrency', '1', '--json'], faults && { env })
    }
    const sent = { seals: new Map(), attested: new Set<number>(), inTime: new Set<number>() }
    return { account, folder, bucket: join(buckets, account.hotkey), ...sent, validate }
  }
  const all = await Promise.all(accounts.slice(0, STAKES.length).map(seatOf))

  const submit = chain.submit.bind(chain)
  chain.submit = (extrinsic) => {
    const { hotkey, call } = extrinsic
    const fields = 'fields' in call ? call.fields.map((field) => Buffer.from(field, 'hex')) : []
    const commitment = decodeCommitment(fields, hotkey)
    const { seals, attested } = all.find(({ account }) => account.hotkey === hotkey) ?? {}
    if (commitment?.kind === 'seal') {
      const { epoch, head } = commitment
      seals?.set(epoch, new Set(seals.get(epoch)).add(head))
    }
    if (commitment?.kind === 'attest') attested?.add(commitment.epoch)
    return submit(extrinsic)
  }

  // The first miner becomes and remains champion. One miner joins in each epoch: lanes stay small,
  // and a duel is always pending.
  const [best = '', other = ''] = await Promise.all(
    ['0.9', '0.3'].map(async (skill): Promise<string> => {
      const miner = start(AF, ['miner', '--port', '0', '--skill', skill, '--json'])
      return (await servingOf(miner)).url
    }),
  )
  const commits = accounts.slice(STAKES.length).map((account, i) => {
    const model = `affine/reference-${account.hotkey}`
    const chute = i === 0 ? best : other
    const fields = encodeCommitment({ kind: 'miner', model, revision: 'main', chute })
    return () => chain.commit(account, fields)
  })

  const at = () => locateBlock(chain.height, protocol)
  /** Reports whether a validator has sealed its lane in an epoch, or has no lane to seal. */
  const hasSealed = ({ account, folder, seals }: Seat, epoch: number): boolean => {
    const file = join(folder, statePath(epoch))
    if (epoch === 0 || seals.has(epoch)) return true
    const state = existsSync(file) && parseState(readFileSync(file, 'utf8'))
    return state !== false && state.ok && !Object.hasOwn(state.value.due, account.hotkey)
  }
  const headsOf = async (epoch: number) =>
    listSeals(await chain.snapshot(sealBlock(epoch, protocol)), epoch)
  /** Reports whether these validators have sent and read everything scheduled before this block. */
  async function areDone(seats: readonly Seat[]): Promise<boolean> {
    const { epoch, offset } = at()
    if (offset < SEAL_FROM) return true
    if (offset < protocol.sealBlock) return seats.every((seat) => hasSealed(seat, epoch))
    if (offset >= ATTEST_FROM) return seats.every(({ attested }) => attested.has(epoch))
    if (offset === protocol.sealBlock) return true
    const heads = await headsOf(epoch)
    const headOf = ({ account }: Seat) => heads[account.hotkey] ?? ''
    const lanes = all.filter((seat) => headOf(seat) !== '')
    const published = (seat: Seat) => hasLane(seat.bucket, headOf(seat))
    if (offset < READ_FROM) return seats.every((seat) => !lanes.includes(seat) || published(seat))
    if (offset === READ_FROM) for (const seat of lanes.filter(published)) seat.inTime.add(epoch)
    const read = lanes.filter(({ inTime }) => inTime.has(epoch)).map(headOf)
    return seats.every(({ bucket }) => read.every((head) => hasLane(bucket, head)))
  }

  let stopped = false
  let patience = 0
  const make = async (): Promise<void> => {
    while (!stopped) {
      const { offset } = at()
      if (offset === 0 || offset === protocol.sealBlock) patience = PATIENCE_MS
      const end = ENDS.find((block) => block > offset) ?? protocol.epochBlocks
      const share = patience / (end - offset)
      const before = Date.now()
      const elapsedMs = () => Date.now() - before
      const isWaiting = (mostMs: number) => elapsedMs() < mostMs && !stopped
      const steadyOnes = all.slice(0, STEADY)
      while (!(await areDone(steadyOnes)) && isWaiting(STEADY_MS)) await sleep(25)
      while (!(await areDone(all)) && isWaiting(share)) await sleep(25)
      patience = Math.max(0, patience - elapsedMs())
      if (offset === 0) void commits.shift()?.()
      await chain.produce(Math.max(Date.now(), await chain.time(chain.height)))
      await sleep(BLOCK_MS)
    }
  }
  const making = make()

  const stop = async (): Promise<void> => {
    stopped = true
    await making
    server[Symbol.dispose]()
  }
  return {
    buckets,
    seats: all,
    /** Returns the position of the last block. */
    at,
    /** Returns the number of the last block. */
    height: (): number => chain.height,
    /** Resolves once the chain has reached this position, or is stopped. */
    async reaches(epoch: number, offset = 0): Promise<void> {
      const block = epoch * protocol.epochBlocks + offset
      while (!stopped && chain.height < block) await Promise.race([sleep(5), making])
    },
    /** Stops the chain, writes its export to `file`, and recomputes all epochs from the buckets. */
    async end() {
      await stop()
      const file = await writeIn(root, chain.export(), 'chain.json')
      return { file, epochs: await recomputeIn(root) }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await stop()
      await rm(root, { recursive: true })
    },
  }
}
