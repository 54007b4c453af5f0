import { bytesToHex } from '@noble/hashes/utils.js'
import { TypeRegistry } from '@polkadot/types'
import * as z from 'zod/mini'
import { BLOCK_MS, type Snapshot, type UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { type Call, createCall } from './extrinsic.ts'
import type { WeightMeans } from './nodes.ts'
import { findTimelocked, lookUp } from './runtime-faults.ts'
import { type Codec, parseInteger, type Runtime, readInteger } from './storage.ts'
import { computeDrandRound, timelockEncrypt } from './timelock.ts'

/** The weights of a hotkey, and the version that the subnet requires of validators. */
interface VersionedWeights {
  readonly hotkey?: string
  readonly weights: UidWeights
  readonly versionKey: bigint
}

/** The block whose runtime is used, and the subnet's settings at the end of that block. */
type WeightSettings = Pick<Snapshot, 'head' | 'tempo' | 'revealPeriod'>

/** Maximum lag of the chain's drand behind the clock, in rounds: ten minutes. */
const MAX_LAG_ROUNDS = 200
/** Blocks between the start of the epoch of the reveal and the opening of the timelock. */
const REVEAL_MARGIN_BLOCKS = 3

/**
 * Returns the call that sets weights as the subnet requires: in public, or timelocked.
 * Protocol §8.13.
 * @throws ChainError, as a rejection: `NotInRuntime` if the runtime lacks an item, `BadReply` for a
 *   malformed value, `DrandBehind` if the chain would open timelocked weights too late.
 */
export async function createWeightsCall(
  runtime: Runtime,
  { netuid, random, now, settings }: WeightMeans & { readonly settings: WeightSettings },
  { hotkey, weights }: { readonly hotkey: string; readonly weights: UidWeights },
): Promise<Call> {
  const versionKey = await readInteger(runtime, 'subtensorModule.weightsVersionKey', netuid)
  if (settings.revealPeriod === 0)
    return createCall('subtensorModule.setWeights', netuid, ...splitColumns(weights), versionKey)
  const lastRound = Number(await readInteger(runtime, 'drand.lastStoredRound'))
  if (lastRound < computeDrandRound(now()) - MAX_LAG_ROUNDS) throw new ChainError('DrandBehind')
  const slot = lookUp(runtime.consts, 'aura.slotDuration')
  const blockMs = slot ? Number(parseInteger(slot, 'aura.slotDuration')) : BLOCK_MS
  const blocks = (await countBlocksToReveal(runtime, netuid, settings)) + REVEAL_MARGIN_BLOCKS
  const round = computeDrandRound(now() + blocks * blockMs)
  const name = findTimelocked(runtime.tx)
  const namesHotkey = name === 'subtensorModule.commitTimelockedWeights'
  const payload = timelockPayload({ weights, versionKey, ...(namesHotkey && { hotkey }) })
  const sealed = `0x${bytesToHex(await timelockEncrypt(payload, round, random))}`
  const args: unknown[] = [netuid, sealed, round]
  if (namesHotkey)
    args.push(await readInteger(runtime, 'subtensorModule.commitRevealWeightsVersion'))
  return createCall(name, ...args)
}

/**
 * Returns the SCALE encoding of weights for `timelockEncrypt`: the length and bytes of the hotkey
 * if there is one, the uids, the values, the version key.
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
  const fields = [...key, ...splitColumns(weights), versionKey]
  return registry.createType(`(${types.join(',')})`, fields).toU8a()
}

const splitColumns = (weights: UidWeights): readonly [number[], number[]] => [
  weights.map(([uid]) => uid),
  weights.map(([, value]) => value),
]

/**
 * Returns the number of blocks from the block of `runtime` to the start of the epoch in which the
 * chain opens a commit made in the next block. Epochs here are the chain's, not this protocol's.
 */
export async function countBlocksToReveal(
  runtime: Runtime,
  netuid: number,
  { head: { number }, tempo, revealPeriod }: WeightSettings,
): Promise<number> {
  // Newer runtimes count epochs. Older ones compute them from the block's number.
  if (!lookUp(runtime.query, 'subtensorModule.subnetEpochIndex')) {
    const length = tempo + 1
    const epoch = Math.floor((number + 1 + netuid + 1) / length)
    return (epoch + revealPeriod) * length - netuid - 1 - number
  }
  const method = lookUp(runtime.call, 'subnetInfoRuntimeApi.getNextEpochStartBlock')
  const answer: Codec | undefined = await method?.(netuid)
  if (!answer || answer.isEmpty)
    throw new ChainError('NotInRuntime', 'the runtime does not report the start of the next epoch')
  const start = Number(parseInteger(answer, 'the start of the next epoch'))
  // The next block may be the first of an epoch itself.
  const nextStart = number + 1 >= start ? start + tempo : start
  return nextStart + (revealPeriod - 1) * tempo - number
}

const u16 = z.int().check(z.minimum(0), z.maximum(65_535))
const rowShape = z.array(z.tuple([u16, u16]))

/**
 * Returns a row of the weight matrix.
 * @throws ChainError `BadReply` if it is malformed.
 */
export function parseRow(value: Codec): UidWeights {
  const { data } = rowShape.safeParse(value.toJSON())
  if (!data) throw new ChainError('BadReply', 'the weights on the chain are malformed')
  return data
}
