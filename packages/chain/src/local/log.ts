import {
  anyText,
  hex,
  int,
  list,
  oneOf,
  pair,
  record,
  type Shape,
  text,
  uint,
  where,
} from '@affine/prng/shape'
import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Account, decodeAddress, verify } from '../account.ts'
import type { Chain, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { parseJson } from '../json.ts'

/** The subnet's hyperparameters, with subtensor's defaults. */
export const PARAMS = {
  /** Blocks between two assignments of permits; also the window of `commitmentBytes`. */
  tempo: 360,
  maxValidators: 64,
  /** In rao. It is a number, so that parameters are plain JSON. */
  stakeThreshold: 1_000_000_000_000,
  /** The fewest blocks after which a neuron can set weights again. */
  weightsRateLimit: 100,
  /** The bytes that a hotkey may commit in one tempo. A commitment counts as at least 100. */
  commitmentBytes: 3100,
}

export type Params = Readonly<typeof PARAMS>

/**
 * A call of a hotkey to the local chain: a commitment with its fields in hex, weights, or a
 * registration.
 */
export type LogCall =
  | { readonly fields: readonly string[] }
  | { readonly weights: UidWeights }
  | { readonly register: true }

/**
 * A call, signed for one chain. A hotkey's nonces must rise, and may have gaps. A call has no
 * effect in a block after `until`. Protocol §5.2.
 */
export interface Extrinsic {
  readonly hotkey: string
  readonly nonce: number
  readonly until: number
  readonly call: LogCall
  readonly signature: string
}

/** A block of the local chain. `hash` covers the parent's hash and all other fields. */
export interface LogBlock {
  /** In milliseconds, for people: it may not fall, and decides nothing. */
  readonly time: number
  /** 32 random bytes, so that nobody can predict the hash. */
  readonly entropy: string
  /** Every call with the code of its refusal, or '' if it took effect. */
  readonly calls: readonly (readonly [extrinsic: Extrinsic, refusal: string])[]
  readonly hash: string
}

/** What a chain starts from. Its hash takes the place of a parent's hash for block 0. */
export interface LogSetup {
  readonly format: 'affine-chain/1'
  readonly netuid: number
  readonly params: Params
  /** Stakes are in rao, as decimal texts. A neuron's index is its uid. */
  readonly neurons: readonly { readonly hotkey: string; readonly stake: string }[]
}

export type Log = LogSetup & { readonly blocks: readonly LogBlock[] }

/** Enough for a million blocks. So many empty objects would fill half a gigabyte. */
const MAX_COMMAS = 2 ** 23

const hotkey = where<string>('an SS58 address', (value) => {
  return typeof value === 'string' && decodeAddress(value) !== null
})
const u16 = uint(65_535)

// These limits are wider than the chain's own, so that the chain refuses four fields, 129 bytes, or
// more weights than neurons, with its own code.
const fields = list(text('up to 1024 bytes in hex', /^([0-9a-f]{2}){0,1024}$/), 16)
const weights = list(pair(u16, u16), 4096)

const commits = record({ fields })
const weighs = record({ weights })
const registers = record({ register: where<true>('true', (value) => value === true) })
const call: Shape<LogCall> = (value) => {
  if ('fields' in Object(value)) return commits(value)
  return 'weights' in Object(value) ? weighs(value) : registers(value)
}

export const extrinsicShape: Shape<Extrinsic> = record({
  hotkey,
  nonce: uint(),
  until: uint(),
  call,
  signature: hex(64),
})

const block = record({
  time: uint(),
  entropy: hex(32),
  calls: list(pair(extrinsicShape, anyText()), 4096),
  hash: hex(32),
})
const neuron = record({
  hotkey,
  stake: text('a number of rao', /^(0|[1-9][0-9]{0,19})$/),
})
const listed = list(neuron)
const neurons: Shape<LogSetup['neurons']> = (value) => {
  const wrong = listed(value)
  if (wrong !== undefined) return wrong
  const hotkeys = (value as LogSetup['neurons']).map(({ hotkey }) => hotkey)
  return new Set(hotkeys).size < hotkeys.length ? ': expected each hotkey once' : undefined
}

export const logShape: Shape<Log> = record({
  format: oneOf('affine-chain/1'),
  netuid: u16,
  params: record({
    tempo: int(1, Number.MAX_SAFE_INTEGER),
    maxValidators: uint(),
    stakeThreshold: uint(),
    weightsRateLimit: uint(),
    commitmentBytes: uint(),
  }),
  neurons,
  blocks: list(block),
})

/**
 * The value of a JSON text of this shape.
 * @throws ChainError with this `code`, which says where the first fault is, for any other text.
 */
export function read<T>(shape: Shape<T>, text: string, code: string): T {
  const value = jsonOf(text)
  const wrong = shape(value)
  if (wrong === undefined) return value as T
  const place = wrong.slice(1, wrong.indexOf(':')).replaceAll('/', '.')
  throw new ChainError(code, `the text is not valid at "${place || 'the start'}"`)
}

/** What the text says; undefined unless it is JSON of a size and a depth that may be parsed. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text, MAX_COMMAS)
  } catch {
    return undefined
  }
}

/** BLAKE2b-256 of a value's JSON text, 64 hex digits. The order of its keys counts. */
export const hashOf = (value: unknown): string =>
  bytesToHex(blake2b(utf8ToBytes(JSON.stringify(value)), { dkLen: 32 }))

/** The same call with its keys in the order that hashes cover, whatever order they came in. */
export const inOrder = ({ hotkey, nonce, until, call, signature }: Extrinsic): Extrinsic => ({
  hotkey,
  nonce,
  until,
  call,
  signature,
})

/** The chain and the subnet that a call is signed for. */
type SubnetId = Pick<Chain, 'genesis' | 'netuid'>

export function signExtrinsic(
  { hotkey, sign }: Account,
  subnet: SubnetId,
  { nonce, until, call }: Pick<Extrinsic, 'nonce' | 'until' | 'call'>,
): Extrinsic {
  const unsigned = { hotkey, nonce, until, call }
  return { ...unsigned, signature: bytesToHex(sign(payloadOf(subnet, unsigned))) }
}

/** Did its hotkey sign this call for this subnet? Never throws. */
export const isSigned = (subnet: SubnetId, extrinsic: Extrinsic): boolean =>
  verify(payloadOf(subnet, extrinsic), hexToBytes(extrinsic.signature), extrinsic.hotkey)

// It is longer than 32 bytes, so that it cannot be taken for the hash of an evidence block, which
// the same key signs.
const payloadOf = (
  { genesis, netuid }: SubnetId,
  { hotkey, nonce, until, call }: Omit<Extrinsic, 'signature'>,
) => utf8ToBytes(JSON.stringify(['affine-chain/1', genesis, netuid, hotkey, nonce, until, call]))
