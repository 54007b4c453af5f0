import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import * as z from 'zod'
import { ChainError, type Weights } from './chain.ts'
import type { Call, Submittable } from './extrinsic.ts'
import { rescale } from './ledger.ts'
import { printable } from './node-socket.ts'
import { rowOf, type Storage } from './storage.ts'
import { countsEpochs, MODULE, tempoOf } from './tempo.ts'
import { drandRound, timelockEncrypt } from './timelock.ts'
import { commitHash, timelockPayload } from './weight-encoding.ts'

/**
 * Where the salts of committed weights are kept: a folder that outlives the process. Nothing is
 * ever overwritten.
 */
export interface SaltStore {
  read(path: string, limit: number): Promise<Uint8Array | null>
  write(path: string, bytes: Uint8Array): Promise<void>
}

/** What setting weights takes besides the chain. */
export interface WeightMeans {
  readonly netuid: number
  readonly salts?: SaltStore | undefined
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
}

/** A call, and how the chain shows afterwards that it did what was meant. */
export interface Plan {
  readonly call: Call
  readonly isHeld: (after: Storage) => Promise<boolean>
}

/**
 * Rounds that the chain's drand may lag behind the clock, ten minutes, and still open timelocks in
 * time.
 */
const DRAND_LAG = 200
/** Blocks into the reveal epoch for whose time a timelock is made. */
const REVEAL_MARGIN = 3
/** Time between blocks where the runtime does not say it. */
const BLOCK_MS = 12_000

/**
 * The timelocked commits of the runtimes, newest first; the oldest one's payload does not name the
 * hotkey.
 */
const TIMELOCKED = [
  { name: 'commitTimelockedWeights', mechanism: [], named: true },
  { name: 'commitTimelockedMechanismWeights', mechanism: [0], named: true },
  { name: 'commitCrv3Weights', mechanism: [], named: false },
] as const
const TIMELOCKED_COMMITS = ['timelockedWeightCommits', 'crv3WeightCommitsV2', 'crv3WeightCommits']

/** The runtime's call of that name; rejects with ChainError `NotInRuntime` where there is none. */
export const callOf =
  (pallet: string, name: string, ...args: unknown[]): Call =>
  async ({ tx }: ApiPromise): Promise<Submittable> => {
    const call = tx[pallet]?.[name]
    if (!call)
      throw new ChainError('NotInRuntime', `this chain's runtime has no call ${pallet}.${name}`)
    return call(...args)
  }

/**
 * How to set weights in the way that the subnet has on: in the open; timelocked, where the chain's
 * drand beacon runs; else as a hash, whose salt is in the store before the call can be sent.
 */
export async function planWeights(
  storage: Storage,
  { netuid, salts, random, now }: WeightMeans,
  hotkey: string,
  weights: Weights,
): Promise<Plan> {
  const [uids, values] = [weights.map(([uid]) => uid), weights.map(([, weight]) => weight)]
  const versionKey = BigInt(`${await storage.query(MODULE, 'weightsVersionKey', netuid)}`)
  if (`${await storage.query(MODULE, 'commitRevealWeightsEnabled', netuid)}` === 'false') {
    return {
      call: callOf(MODULE, 'setWeights', netuid, uids, values, versionKey),
      isHeld: (after) => isInForce(after, netuid, hotkey, weights),
    }
  }
  const timelocked = TIMELOCKED.find(({ name }) => storage.hasCall(MODULE, name))
  const lastRound = storage.has('drand', 'lastStoredRound')
    ? await storage.query('drand', 'lastStoredRound')
    : 0
  if (timelocked && Number(lastRound) >= drandRound(now()) - DRAND_LAG) {
    const { name, mechanism, named } = timelocked
    const { nextStart, length, period, head } = await tempoOf(storage, netuid)
    const blocks = nextStart + (period - 1) * length + REVEAL_MARGIN - head
    const round = drandRound(
      now() + blocks * Number(storage.constant('aura', 'slotDuration') ?? BLOCK_MS),
    )
    const payload = timelockPayload({ weights, versionKey, ...(named && { hotkey }) })
    const sealed = `0x${bytesToHex(await timelockEncrypt(payload, round, random))}`
    const version = named ? [await storage.query(MODULE, 'commitRevealWeightsVersion')] : []
    return {
      call: callOf(MODULE, name, netuid, ...mechanism, sealed, round, ...version),
      isHeld: async (after) => {
        const items = TIMELOCKED_COMMITS.filter((item) => after.has(MODULE, item))
        const commits = await Promise.all(items.map((item) => after.entries(MODULE, item, netuid)))
        return JSON.stringify(commits).includes(sealed)
      },
    }
  }
  if (!salts) throw new ChainError('NoSalts')
  const salt = [...new Uint16Array(Uint8Array.from(random(16)).buffer)]
  const hash = commitHash({ hotkey, netuidIndex: netuid, weights, salt, versionKey })
  const kept = { uids, values, salt, versionKey: `${versionKey}` }
  await salts.write(saltPath(hash), utf8ToBytes(JSON.stringify(kept))).catch(lost(saltPath(hash)))
  return {
    call: callOf(MODULE, 'commitWeights', netuid, `0x${hash}`),
    isHeld: async (after) =>
      (await commitsOf(after, netuid, hotkey)).some(([commit]) => commit === `0x${hash}`),
  }
}

/**
 * The reveal that is due in the next block, of a commit whose salt is in the store; null when there
 * is none.
 */
export async function planReveal(
  storage: Storage,
  { netuid, salts }: WeightMeans,
  hotkey: string,
): Promise<Plan | null> {
  const commits = salts ? await commitsOf(storage, netuid, hotkey) : []
  if (!salts || commits.length === 0) return null
  const { epoch, period, head } = await tempoOf(storage, netuid)
  for (const [commit, since, first, last] of commits) {
    // A runtime that counts epochs keeps the commit's; others keep the first and the last block of
    // the reveal.
    const isDue = countsEpochs(storage)
      ? epoch === since + period
      : head + 1 >= first && head + 1 <= last
    const path = saltPath(commit.slice(2))
    const bytes = isDue ? await salts.read(path, 65_536).catch(lost(path)) : null
    if (bytes === null) continue
    const read = async () => keptShape.parse(JSON.parse(new TextDecoder().decode(bytes)))
    const { uids, values, salt, versionKey } = await read().catch(() => {
      throw new ChainError(
        'NoSalts',
        `${path} expected to hold the weights and the salt of a commit, got something else`,
      )
    })
    const weights = uids.map((uid, i) => [uid, values[i] ?? 0] as const)
    return {
      call: callOf(MODULE, 'revealWeights', netuid, uids, values, salt, versionKey),
      isHeld: (after) => isInForce(after, netuid, hotkey, weights),
    }
  }
  return null
}

const saltPath = (hash: string): string => `weights/${hash}`
const lost = (path: string) => (cause: Error) => {
  throw new ChainError('NoSalts', `${path} expected to be kept: ${printable(cause.message)}`, {
    cause,
  })
}
const u16s = z.array(z.int().min(0).max(65_535))
const keptShape = z.object({
  uids: u16s,
  values: u16s,
  salt: u16s,
  versionKey: z.string().regex(/^\d{1,20}$/),
})
const commitsShape = z.array(
  z.tuple([z.string().regex(/^0x[0-9a-f]{64}$/), z.int(), z.int(), z.int()]),
)

/**
 * A hotkey's commits that were not revealed: hash, epoch or block of the commit, and what the
 * runtime keeps beside.
 */
async function commitsOf(
  storage: Storage,
  netuid: number,
  hotkey: string,
): Promise<z.infer<typeof commitsShape>> {
  const commits = (await storage.query(MODULE, 'weightCommits', netuid, hotkey)).toJSON() ?? []
  const { data } = commitsShape.safeParse(commits)
  if (!data)
    throw new ChainError(
      'BadReply',
      'the commits of weights on the chain are not as they should be',
    )
  return data
}

async function isInForce(
  after: Storage,
  netuid: number,
  hotkey: string,
  weights: Weights,
): Promise<boolean> {
  const uid = (await after.query(MODULE, 'uids', netuid, hotkey)).toJSON()
  const row = rowOf(await after.query(MODULE, 'weights', netuid, uid))
  return JSON.stringify(row) === JSON.stringify(rescale(weights))
}
