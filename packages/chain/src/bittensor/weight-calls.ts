import { bytesToHex } from '@noble/hashes/utils.js'
import { TypeRegistry } from '@polkadot/types'
import * as z from 'zod/mini'
import { BLOCK_MS, type UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { type Call, callOf } from './extrinsic.ts'
import type { WeightMeans } from './nodes.ts'
import { type Codec, integerIn, type Storage } from './storage.ts'
import { drandRound, timelockEncrypt } from './timelock.ts'

/** The largest weight. The chain would scale weights up to it, and none here need that. */
const MAX_WEIGHT = 65_535

/** The weights that a hotkey shall have, and the version that the subnet requires of validators. */
interface VersionedWeights {
  readonly hotkey: string
  readonly weights: UidWeights
  readonly versionKey: bigint
}

/**
 * Returns the call that sets weights in the way that the subnet requires: public immediately, or
 * timelocked. Protocol §8.13.
 * @throws ChainError, as a rejection, if they have to be timelocked: `NotInRuntime` if the runtime
 *   cannot, `DrandBehind` if the chain would open them too late. RangeError unless the largest
 *   weight is 65,535.
 */
export async function weightsCall(
  storage: Storage,
  means: WeightMeans,
  { hotkey, weights }: Omit<VersionedWeights, 'versionKey'>,
): Promise<Call> {
  const { netuid } = means
  if (!weights.some(([, weight]) => weight === MAX_WEIGHT))
    throw new RangeError(`"weights" expected ${MAX_WEIGHT} as the largest of them`)
  const versionKey = await storage.integer('subtensorModule.weightsVersionKey', netuid)
  const versioned = { hotkey, weights, versionKey }
  const setting = await storage.query('subtensorModule.commitRevealWeightsEnabled', netuid)
  const isTimelocked = setting.toJSON()
  if (isTimelocked === true) return timelockedCall(storage, means, versioned)
  if (isTimelocked === false)
    return callOf('subtensorModule.setWeights', netuid, ...columnsOf(weights), versionKey)
  throw new ChainError('BadReply', 'the chain does not say whether weights are timelocked')
}

/**
 * How many rounds (ten minutes) the chain's drand may be behind the clock and still open timelocks
 * in time.
 */
const MAX_LAG_ROUNDS = 200
/** So many blocks after the epoch of the reveal has begun, a timelock opens. */
const REVEAL_MARGIN_BLOCKS = 3

/**
 * The calls by which runtimes take timelocked weights, newest first. The payload of the older does
 * not name the hotkey, and this call has no version of commit and reveal.
 */
const TIMELOCKED = [
  { name: 'subtensorModule.commitTimelockedWeights', namesHotkey: true },
  { name: 'subtensorModule.commitCrv3Weights', namesHotkey: false },
] as const

/**
 * A commit of weights that the chain itself opens in the epoch of their reveal. Protocol §8.13.
 * @throws ChainError, as a rejection: `NotInRuntime` if the runtime has no call for it,
 *   `DrandBehind` if the chain's drand would open the commit too late.
 */
async function timelockedCall(
  storage: Storage,
  means: WeightMeans,
  { hotkey, weights, versionKey }: VersionedWeights,
): Promise<Call> {
  const { netuid, random, now } = means
  const timelocked = TIMELOCKED.find(({ name }) => storage.hasCall(name))
  if (timelocked === undefined)
    throw new ChainError('NotInRuntime', "this chain's runtime has no call for timelocked weights")
  const lastRound = Number(await storage.integer('drand.lastStoredRound'))
  if (lastRound < drandRound(now()) - MAX_LAG_ROUNDS) throw new ChainError('DrandBehind')
  const { name, namesHotkey } = timelocked
  const round = await revealRound(storage, means)
  const payload = timelockPayload({ weights, versionKey, ...(namesHotkey && { hotkey }) })
  const sealed = `0x${bytesToHex(await timelockEncrypt(payload, round, random))}`
  const args: unknown[] = [netuid, sealed, round]
  if (namesHotkey) args.push(await storage.integer('subtensorModule.commitRevealWeightsVersion'))
  return callOf(name, ...args)
}

/**
 * The SCALE encoding of weights, to be encrypted by `timelockEncrypt`: the hotkey's length and
 * bytes if the runtime takes one, the uids, the values, the version key.
 *
 * Source: subtensor, `WeightsTlockPayload`, and `LegacyWeightsTlockPayload` without the hotkey.
 * Vectors: vectors/chain/timelock-payload.json.
 * @throws Error for a hotkey that is not an SS58 address, and for a number that its type cannot
 *   hold.
 */
export function timelockPayload({
  hotkey,
  weights,
  versionKey,
}: Omit<VersionedWeights, 'hotkey'> & { readonly hotkey?: string }): Uint8Array {
  const registry = new TypeRegistry()
  const key = hotkey === undefined ? [] : [registry.createType('AccountId', hotkey).toHex()]
  const types = [...key.map(() => 'Bytes'), 'Vec<u16>', 'Vec<u16>', 'u64']
  const fields = [...key, ...columnsOf(weights), versionKey]
  return registry.createType(`(${types.join(',')})`, fields).toU8a()
}

/** The uids, and the values. */
const columnsOf = (weights: UidWeights): readonly [number[], number[]] => [
  weights.map(([uid]) => uid),
  weights.map(([, value]) => value),
]

/** The round of drand that is published just after the epoch of the reveal has begun. */
async function revealRound(storage: Storage, { netuid, now }: WeightMeans): Promise<number> {
  const { nextStart, length, period, head } = await tempoOf(storage, netuid)
  const blocks = nextStart + (period - 1) * length + REVEAL_MARGIN_BLOCKS - head
  const slot = storage.constant('aura.slotDuration')
  const blockMs = slot ? Number(integerIn(slot, 'aura.slotDuration')) : BLOCK_MS
  return drandRound(now() + blocks * blockMs)
}

/**
 * Where a subnet is in its tempo: the epochs, not those of this protocol, by which the chain opens
 * commits of weights.
 */
interface Tempo {
  /** The first block of the epoch after that of the next block, if the tempo is not changed. */
  readonly nextStart: number
  /** Of an epoch, in blocks. */
  readonly length: number
  /** Epochs between a commit and its reveal. */
  readonly period: number
  /** The number of the block that was read. */
  readonly head: number
}

export async function tempoOf(storage: Storage, netuid: number): Promise<Tempo> {
  const head = Number(await storage.integer('system.number'))
  const tempo = Number(await storage.integer('subtensorModule.tempo', netuid))
  const period = Number(await storage.integer('subtensorModule.revealPeriodEpochs', netuid))
  // Newer runtimes count epochs. Older ones compute them from the block's number.
  if (!storage.has('subtensorModule.subnetEpochIndex')) {
    const length = tempo + 1
    const epoch = Math.floor((head + 1 + netuid + 1) / length)
    return { nextStart: (epoch + 1) * length - netuid - 1, length, period, head }
  }
  const answer = await storage.call('subnetInfoRuntimeApi.getNextEpochStartBlock', netuid)
  if (!answer || answer.isEmpty)
    throw new ChainError('NotInRuntime', 'the runtime does not say when the next epoch begins')
  const start = Number(integerIn(answer, 'the start of the next epoch'))
  // The next block may be the first of an epoch itself.
  const nextStart = head + 1 >= start ? start + tempo : start
  return { nextStart, length: tempo, period, head }
}

const u16 = z.int().check(z.minimum(0), z.maximum(65_535))
const rowShape = z.array(z.tuple([u16, u16]))

/**
 * A row of the weight matrix.
 * @throws ChainError `BadReply` if it is malformed.
 */
export function rowOf(value: Codec): UidWeights {
  const { data } = rowShape.safeParse(value.toJSON())
  if (!data) throw new ChainError('BadReply', 'the weights on the chain are malformed')
  return data
}
