import { numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { decodeAddress } from '../account.ts'
import type { UidWeights } from '../chain.ts'

const U16 = 0xffff
const U64 = 2n ** 64n - 1n

/**
 * What `timelockPayload` takes. A runtime that has only `commit_crv3_weights` takes no `hotkey`.
 */
export interface TimelockWeights {
  readonly hotkey?: string
  readonly weights: UidWeights
  readonly versionKey: bigint
}

/**
 * The SCALE encoding of weights, to be encrypted by `timelockEncrypt`: the hotkey's length and
 * bytes if there is one, the uids, the values, the version key.
 *
 * Source: subtensor, `WeightsTlockPayload`, and `LegacyWeightsTlockPayload` without the hotkey.
 * Vectors: vectors/chain/timelock-payload.json.
 * @throws RangeError for a hotkey that is not an SS58 address with prefix 42, and for a number that
 *   its type cannot hold.
 */
export function timelockPayload({ hotkey, weights, versionKey }: TimelockWeights): Uint8Array {
  const signer = hotkey === undefined ? [] : [compact(32), publicKey(hotkey)]
  return concatBytes(...signer, pairs(weights), u64('versionKey', versionKey))
}

function publicKey(hotkey: string): Uint8Array {
  const key = decodeAddress(hotkey)
  if (key === null)
    throw new RangeError(`"hotkey" expected an SS58 address with prefix 42, got ${hotkey}`)
  return key
}

/** The uids, then the values. */
function pairs(weights: UidWeights): Uint8Array {
  const uids = weights.map(([uid]) => uid)
  const values = weights.map(([, weight]) => weight)
  return concatBytes(u16s('uid', uids), u16s('weight', values))
}

const u16s = (name: string, values: readonly number[]) =>
  concatBytes(compact(values.length), ...values.map((value) => u16(name, value)))

function u16(name: string, value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > U16)
    throw new RangeError(`"${name}" expected 0..${U16}, got ${value}`)
  return numberToBytesLE(value, 2)
}

function u64(name: string, value: bigint): Uint8Array {
  if (value < 0n || value > U64) throw new RangeError(`"${name}" expected 0..${U64}, got ${value}`)
  return numberToBytesLE(value, 8)
}

/** The length of a vector in SCALE: 1, 2 or 4 bytes. The lowest two bits say how many. */
function compact(length: number): Uint8Array {
  if (length < 2 ** 6) return numberToBytesLE(length * 4, 1)
  if (length < 2 ** 14) return numberToBytesLE(length * 4 + 1, 2)
  return numberToBytesLE(length * 4 + 2, 4)
}
