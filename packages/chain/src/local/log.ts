import { canonicalize, digest, parseCanonical } from '@affine/prng'
import {
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
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Account, decodeAddress, verifyCall } from '../account.ts'
import type { Chain, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'

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
  /** The most neurons: on a full subnet a registration replaces one. */
  maxUids: 256,
  /** For so many blocks after its registration a neuron is immune: others are replaced first. */
  immunityPeriod: 4096,
  /** While no more than so many neurons are not immune, only immune ones are replaced. */
  minNonImmuneUids: 10,
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
export type Extrinsic = {
  readonly hotkey: string
  readonly nonce: number
  readonly until: number
  readonly call: LogCall
  readonly signature: string
}

/** What a chain starts from: the first line of its log. Its hash is the parent of block 0. */
export type LogSetup = {
  readonly format: 'affine-chain/1'
  readonly netuid: number
  readonly params: Params
  /** Stakes are in rao, as decimal texts. A neuron's index is its uid. */
  readonly neurons: readonly { readonly hotkey: string; readonly stake: string }[]
}

/** A block of the local chain, a line of its log. */
export type LogBlock = {
  /** In milliseconds, for people: it may not fall, and decides nothing. */
  readonly time: number
  /** 32 random bytes, so that nobody can predict the hash. */
  readonly entropy: string
  /** Every call took effect. */
  readonly calls: readonly Extrinsic[]
  readonly hash: string
}

/** No line of a log has more characters: 1024 calls of 256 weights have 3.5 million. */
const MAX_LINE = 2 ** 22

const hotkeyShape: Shape<string> = where('an SS58 address', (value) => {
  return typeof value === 'string' && decodeAddress(value) !== null
})
const u16 = uint(65_535)
const weightsShape: Shape<UidWeights> = list(pair(u16, u16), 4096)
const raoShape: Shape<string> = text('a number of rao', /^(0|[1-9][0-9]{0,19})$/)

// These limits are wider than the chain's own, so that the chain refuses four fields, 129 bytes, or
// more weights than neurons, with its own code.
const fields = list(text('up to 1024 bytes in hex', /^([0-9a-f]{2}){0,1024}$/), 16)

const commits = record({ fields })
const weighs = record({ weights: weightsShape })
const registers = record({ register: where<true>('true', (value) => value === true) })
const call: Shape<LogCall> = (value) => {
  if ('fields' in Object(value)) return commits(value)
  return 'weights' in Object(value) ? weighs(value) : registers(value)
}

export const extrinsicShape: Shape<Extrinsic> = record({
  hotkey: hotkeyShape,
  nonce: uint(),
  until: uint(),
  call,
  signature: hex(64),
})

export const blockShape: Shape<LogBlock> = record({
  time: uint(),
  entropy: hex(32),
  calls: list(extrinsicShape, 4096),
  hash: hex(32),
})

const listed = list(record({ hotkey: hotkeyShape, stake: raoShape }))
const neurons: Shape<LogSetup['neurons']> = (value) => {
  const wrong = listed(value)
  if (wrong !== undefined) return wrong
  const hotkeys = (value as LogSetup['neurons']).map(({ hotkey }) => hotkey)
  return new Set(hotkeys).size < hotkeys.length ? ': expected each hotkey once' : undefined
}

export const setupShape: Shape<LogSetup> = record({
  format: oneOf('affine-chain/1'),
  netuid: u16,
  params: record({
    tempo: int(1, Number.MAX_SAFE_INTEGER),
    maxValidators: uint(),
    stakeThreshold: uint(),
    weightsRateLimit: uint(),
    commitmentBytes: uint(),
    maxUids: int(1, 256),
    immunityPeriod: u16,
    minNonImmuneUids: u16,
  }),
  neurons,
})

/** What a chain started from, and blocks of it that follow each other. */
export interface Log {
  readonly setup: LogSetup
  readonly blocks: readonly LogBlock[]
}

/**
 * Reads a log. Neither hashes nor signatures nor the rules are checked.
 * @throws ChainError `BadLog`, which names the line, for anything but the canonical text of one.
 */
export function readLog(text: string): Log {
  const [first = '', ...lines] = text.split('\n')
  const setup = readLine(setupShape, first, 'the first line')
  if (lines.pop() !== '') throw new ChainError('BadLog', 'the text ends in the middle of a line')
  return { setup, blocks: lines.map((line, i) => readLine(blockShape, line, `line ${i + 2}`)) }
}

export function readLine<T>(shape: Shape<T>, line: string, what: string): T {
  if (line.length > MAX_LINE) throw new ChainError('BadLog', `${what} is too long`)
  const parsed = parseCanonical(line)
  if (!parsed.ok) throw new ChainError('BadLog', `${what} is not valid: ${parsed.detail}`)
  const wrong = shape(parsed.value)
  if (wrong === undefined) return parsed.value as T
  throw new ChainError('BadLog', `${what} is not valid${placeOf(wrong)}`)
}

/** Where the fault is that a shape names: its keys are ours. */
export const placeOf = (wrong: string): string =>
  ` at "${wrong.slice(1, wrong.indexOf(':')).replaceAll('/', '.') || 'the start'}"`

/** What the blocks after this setup have for a parent. */
export const hashOfSetup = (setup: LogSetup): string => digest('local-chain', setup)

/** The hash of a block: of its parent's hash and of all its other fields. */
export function hashOfBlock(
  parent: string,
  { time, entropy, calls }: Omit<LogBlock, 'hash'>,
): string {
  return digest('local-block', parent, time, entropy, calls)
}

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
  verifyCall(payloadOf(subnet, extrinsic), hexToBytes(extrinsic.signature), extrinsic.hotkey)

// It is longer than 32 bytes, so that it cannot be taken for the hash of an evidence block, which
// the same key signs.
const payloadOf = (
  { genesis, netuid }: SubnetId,
  { hotkey, nonce, until, call }: Omit<Extrinsic, 'signature'>,
) => utf8ToBytes(canonicalize(['affine-chain/1', genesis, netuid, hotkey, nonce, until, call]))
