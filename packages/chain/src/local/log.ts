import { canonicalize, digest, parseCanonical } from '@affine/prng'
import type { Shape } from '@affine/prng/shape'
import * as shapes from '@affine/prng/shape'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Account, decodeAddress, verifyCall } from '../account.ts'
import type { Chain, ChainEnvs, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'

/** The subnet's hyperparameters, with subtensor's defaults. */
export const PARAMS = {
  /** In blocks. */
  tempo: 360,
  maxValidators: 64,
  /** Minimum stake for a permit and for weights, in rao. */
  stakeThreshold: 1_000_000_000_000,
  /** Minimum blocks between two times that a neuron sets weights. */
  weightsRateLimit: 100,
  /** Maximum bytes that a hotkey may commit in one tempo. A commitment counts as at least 100. */
  commitmentBytes: 3100,
  /** Maximum number of neurons. */
  maxUids: 256,
  /** Blocks during which a new neuron is immune: other neurons are replaced first. */
  immunityPeriod: 4096,
  /** If at most this number of neurons are not immune, immune neurons are replaced. */
  minNonImmuneUids: 10,
}

export type Params = Readonly<typeof PARAMS>

/** A call of a hotkey: a commitment with its fields in hex, weights, or a registration. */
export type LogCall =
  | { readonly fields: readonly string[] }
  | { readonly weights: UidWeights }
  | { readonly register: true }

/**
 * A call, signed for one chain. A hotkey's nonces must increase, and may have gaps. No block after
 * `until` may contain the call. Protocol §5.2.
 */
export type Extrinsic = {
  readonly hotkey: string
  readonly nonce: number
  readonly until: number
  readonly call: LogCall
  readonly signature: string
}

/** The start of a chain: the first line of its log. The line's hash is the parent of block 0. */
export type LogSetup = {
  readonly format: 'affine-chain/1'
  readonly netuid: number
  readonly params: Params
  /** The first neurons. Stakes are in rao, as decimal strings. A neuron's index is its uid. */
  readonly neurons: readonly { readonly hotkey: string; readonly stake: string }[]
  /** Default: the environments of the local network. */
  readonly envs?: ChainEnvs
}

/** A block of the local chain: a line of its log. */
export type LogBlock = {
  /** Unix time in milliseconds, only for display. It must not decrease. */
  readonly time: number
  /** 32 random bytes in hex, which make the hash unpredictable. */
  readonly entropy: string
  /** The calls that took effect. */
  readonly calls: readonly Extrinsic[]
  readonly hash: string
}

/** Maximum characters of a line. A block of 1024 calls of 256 weights has 3.5 million. */
const MAX_LINE = 2 ** 22

const hotkeyShape: Shape<string> = shapes.where('an SS58 address', (value) => {
  return typeof value === 'string' && decodeAddress(value) !== null
})
const u16 = shapes.uint(65_535)
const weightsShape: Shape<UidWeights> = shapes.list(shapes.pair(u16, u16), 4096)
const raoShape: Shape<string> = shapes.text('a number of rao', /^(0|[1-9][0-9]{0,19})$/)

// These limits are wider than the chain's, so that the chain refuses four fields, 129 bytes, or
// more weights than neurons, with its own code.
const fields = shapes.list(shapes.text('up to 1024 bytes in hex', /^([0-9a-f]{2}){0,1024}$/), 16)

const commitShape = shapes.record({ fields })
const weighShape = shapes.record({ weights: weightsShape })
const registerShape = shapes.record({
  register: shapes.where<true>('true', (value) => value === true),
})
const call: Shape<LogCall> = (value) => {
  if ('fields' in Object(value)) return commitShape(value)
  return 'weights' in Object(value) ? weighShape(value) : registerShape(value)
}

export const extrinsicShape: Shape<Extrinsic> = shapes.record({
  hotkey: hotkeyShape,
  nonce: shapes.uint(),
  until: shapes.uint(),
  call,
  signature: shapes.hex(64),
})

export const blockShape: Shape<LogBlock> = shapes.record({
  time: shapes.uint(),
  entropy: shapes.hex(32),
  calls: shapes.list(extrinsicShape, 4096),
  hash: shapes.hex(32),
})

const neuronsShape = shapes.list(shapes.record({ hotkey: hotkeyShape, stake: raoShape }))
const neurons: Shape<LogSetup['neurons']> = (value) => {
  const fault = neuronsShape(value)
  if (fault !== undefined) return fault
  const hotkeys = (value as LogSetup['neurons']).map(({ hotkey }) => hotkey)
  return new Set(hotkeys).size < hotkeys.length ? ': expected each hotkey once' : undefined
}

/** Maximum challenges of one environment in a lane. */
const MAX_QUOTA = 4096
const MAX_ENVS = 16
const quota = shapes.int(1, MAX_QUOTA)
const envsShape = shapes.map(
  shapes.record<ChainEnvs[string]>({
    specHash: shapes.hex(32),
    players: shapes.int(1, 2),
    quotaFirst: quota,
    quotaMost: quota,
  }),
)
const envs: Shape<ChainEnvs> = (value) => {
  const ids = Object.keys(Object(value))
  const isNamed = ids.every((id) => /^[a-z0-9-]{1,64}@[0-9.]{5,32}$/.test(id))
  if (ids.length < 1 || ids.length > MAX_ENVS || !isNamed)
    return `: expected 1 to ${MAX_ENVS} environments by id`
  return envsShape(value)
}

export const setupShape: Shape<LogSetup> = shapes.record(
  {
    format: shapes.oneOf('affine-chain/1'),
    netuid: u16,
    params: shapes.record({
      tempo: shapes.int(1, Number.MAX_SAFE_INTEGER),
      maxValidators: shapes.uint(),
      stakeThreshold: shapes.uint(),
      weightsRateLimit: shapes.uint(),
      commitmentBytes: shapes.uint(),
      maxUids: shapes.int(1, 256),
      immunityPeriod: u16,
      minNonImmuneUids: u16,
    }),
    neurons,
    envs,
  },
  ['envs'],
)

export interface Log {
  readonly setup: LogSetup
  readonly blocks: readonly LogBlock[]
}

/**
 * Reads a log. Does not check hashes, signatures or rules.
 * @throws ChainError `BadLog`, with the line, unless the text is the canonical text of a log.
 */
export function readLog(text: string): Log {
  const [first = '', ...lines] = text.split('\n')
  const setup = readLine(setupShape, first, 'the first line')
  if (lines.pop() !== '') throw new ChainError('BadLog', 'the text ends in the middle of a line')
  return { setup, blocks: lines.map((line, i) => readLine(blockShape, line, `line ${i + 2}`)) }
}

export function readLine<T>(shape: Shape<T>, line: string, name: string): T {
  if (line.length > MAX_LINE) throw new ChainError('BadLog', `${name} is too long`)
  const parsed = parseCanonical(line)
  if (!parsed.ok) throw new ChainError('BadLog', `${name} is not valid: ${parsed.detail}`)
  const fault = shape(parsed.value)
  if (fault === undefined) return parsed.value as T
  throw new ChainError('BadLog', `${name}${fault}`)
}

export const hashSetup = (setup: LogSetup): string => digest('local-chain', setup)

export function hashBlock(
  parent: string,
  { time, entropy, calls }: Omit<LogBlock, 'hash'>,
): string {
  return digest('local-block', parent, time, entropy, calls)
}

type SubnetId = Pick<Chain, 'genesis' | 'netuid'>

export function signExtrinsic(
  { hotkey, sign }: Account,
  subnet: SubnetId,
  { nonce, until, call }: Pick<Extrinsic, 'nonce' | 'until' | 'call'>,
): Extrinsic {
  const unsigned = { hotkey, nonce, until, call }
  return { ...unsigned, signature: bytesToHex(sign(encodePayload(subnet, unsigned))) }
}

/** Reports whether the call's hotkey signed it for this subnet. Never throws. */
export const isSigned = (subnet: SubnetId, extrinsic: Extrinsic): boolean =>
  verifyCall(encodePayload(subnet, extrinsic), hexToBytes(extrinsic.signature), extrinsic.hotkey)

// The payload is longer than 32 bytes, so that it cannot be mistaken for the hash of an evidence
// block, which the same key signs.
const encodePayload = (
  { genesis, netuid }: SubnetId,
  { hotkey, nonce, until, call }: Omit<Extrinsic, 'signature'>,
) => utf8ToBytes(canonicalize(['affine-chain/1', genesis, netuid, hotkey, nonce, until, call]))
