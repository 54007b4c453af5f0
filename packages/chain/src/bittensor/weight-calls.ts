import { bytesToHex } from '@noble/hashes/utils.js'
import { TypeRegistry } from '@polkadot/types'
import * as z from 'zod/mini'
import { BLOCK_MS, type Snapshot, type UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { type Call, callOf } from './extrinsic.ts'
import type { WeightMeans } from './nodes.ts'
import { type Codec, integerIn, type Storage } from './storage.ts'
import { drandRound, timelockEncrypt } from './timelock.ts'

/** The largest weight. The chain would scale weights up to it, and none here need that. */
const MAX_WEIGHT = 65_535

/** The weights that a hotkey is to have, and the version that the subnet requires of validators. */
interface VersionedWeights {
  readonly hotkey?: string
  readonly weights: UidWeights
  readonly versionKey: bigint
}

/** The block that `storage` is of, and the subnet's settings at its end. */
type Settings = Pick<Snapshot, 'head' | 'tempo' | 'revealPeriod'>

/**
 * Returns the call that sets weights in the way that the subnet requires: public immediately, or
 * timelocked. Protocol §8.13.
 * @throws ChainError, as a rejection, if they have to be timelocked: `NotInRuntime` if the runtime
 *   cannot, `DrandBehind` if the chain would open them too late. RangeError unless the largest
 *   weight is 65,535.
 */
export async function weightsCall(
  storage: Storage,
  means: WeightMeans & { readonly settings: Settings },
  { hotkey, weights }: { readonly hotkey: string; readonly weights: UidWeights },
): Promise<Call> {
  const { netuid, settings } = means
  if (!weights.some(([, weight]) => weight === MAX_WEIGHT))
    throw new RangeError(`"weights" expected ${MAX_WEIGHT} as the largest of them`)
  const versionKey = await storage.integer('subtensorModule.weightsVersionKey', netuid)
  if (settings.revealPeriod > 0)
    return timelockedCall(storage, means, { hotkey, weights, versionKey })
  return callOf('subtensorModule.setWeights', netuid, ...columnsOf(weights), versionKey)
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
  means: WeightMeans & { readonly settings: Settings },
  versioned: VersionedWeights,
): Promise<Call> {
  const { netuid, random, now, settings } = means
  const timelocked = TIMELOCKED.find(({ name }) => storage.hasCall(name))
  if (timelocked === undefined)
    throw new ChainError('NotInRuntime', "this chain's runtime has no call for timelocked weights")
  const lastRound = Number(await storage.integer('drand.lastStoredRound'))
  if (lastRound < drandRound(now()) - MAX_LAG_ROUNDS) throw new ChainError('DrandBehind')
  const { name, namesHotkey } = timelocked
  const slot = storage.constant('aura.slotDuration')
  const blockMs = slot ? Number(integerIn(slot, 'aura.slotDuration')) : BLOCK_MS
  // Just after the epoch of the reveal has begun.
  const blocks = (await blocksToReveal(storage, netuid, settings)) + REVEAL_MARGIN_BLOCKS
  const round = drandRound(now() + blocks * blockMs)
  const { weights, versionKey } = versioned
  const payload = timelockPayload(namesHotkey ? versioned : { weights, versionKey })
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
export function timelockPayload({ hotkey, weights, versionKey }: VersionedWeights): Uint8Array {
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

/**
 * Returns the number of blocks from the one that is read to the first one of the epoch in which the
 * chain opens a commit that is in the next block. These are the chain's epochs, and not those of
 * this protocol.
 */
export async function blocksToReveal(
  storage: Storage,
  netuid: number,
  { head: { number }, tempo, revealPeriod }: Settings,
): Promise<number> {
  // Newer runtimes count epochs. Older ones compute them from the block's number.
  if (!storage.has('subtensorModule.subnetEpochIndex')) {
    const length = tempo + 1
    const epoch = Math.floor((number + 1 + netuid + 1) / length)
    return (epoch + revealPeriod) * length - netuid - 1 - number
  }
  const answer = await storage.call('subnetInfoRuntimeApi.getNextEpochStartBlock', netuid)
  if (!answer || answer.isEmpty)
    throw new ChainError('NotInRuntime', 'the runtime does not say when the next epoch begins')
  const start = Number(integerIn(answer, 'the start of the next epoch'))
  // The next block may be the first of an epoch itself.
  const nextStart = number + 1 >= start ? start + tempo : start
  return nextStart + (revealPeriod - 1) * tempo - number
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
