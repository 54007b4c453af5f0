import { numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { decodeAddress } from '../account.ts'
import type { UidWeights } from '../chain.ts'

const U16 = 0xffff
const U64 = 2n ** 64n - 1n

/** What `commit_weights` commits to, and what `reveal_weights` has to repeat, in the same order. */
export interface WeightCommit {
  readonly hotkey: string
  /** 4096 · mechanism + netuid. */
  readonly netuidIndex: number
  readonly weights: UidWeights
  /** Random numbers, each 0 to 65535, that hide the weights until the reveal. */
  readonly salt: readonly number[]
  readonly versionKey: bigint
}

/**
 * What `timelockPayload` takes. A runtime that has only `commit_crv3_weights` takes no `hotkey`.
 */
export interface TimelockWeights extends Pick<WeightCommit, 'weights' | 'versionKey'> {
  readonly hotkey?: string
}

/**
 * The hash that `commit_weights` takes, 64 hex digits: BLAKE2b-256 of the SCALE encoding of all
 * fields. A subnet's rules are not checked.
 *
 * Source: subtensor, `do_reveal_weights`. Vectors: vectors/chain/commit-hash.json.
 * @throws RangeError for a hotkey that is not an SS58 address with prefix 42, and for a number that
 *   its type cannot hold.
 */
export function commitHash({
  hotkey,
  netuidIndex,
  weights,
  salt,
  versionKey,
}: WeightCommit): string {
  const bytes = concatBytes(
    publicKey(hotkey),
    u16('netuidIndex', netuidIndex),
    pairs(weights),
    u16s('salt', salt),
    u64('versionKey', versionKey),
  )
  return bytesToHex(blake2b(bytes, { dkLen: 32 }))
}

/**
 * The SCALE encoding of weights, to be encrypted by `timelockEncrypt`: the hotkey's length and
 * bytes if there is one, the uids, the values, the version key.
 *
 * Source: subtensor, `WeightsTlockPayload`, and `LegacyWeightsTlockPayload` without the hotkey.
 * @throws RangeError as `commitHash` does.
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
