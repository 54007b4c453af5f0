import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { type Account, decodeAddress, verify } from './account.ts'
import {
  type Chain,
  ChainError,
  type CommitmentSlot,
  type Neuron,
  type Refusal,
  type Weights,
} from './chain.ts'
import { MAX_FIELD_BYTES, MAX_FIELDS } from './commitment.ts'

/** The subnet's hyperparameters, as subtensor has them by default. */
export const PARAMS = {
  /** Blocks between two assignments of permits; also the window of `commitmentBytes`. */
  tempo: 360,
  maxValidators: 64,
  /** In rao; a number, so that parameters are plain JSON. */
  stakeThreshold: 1_000_000_000_000,
  /** Blocks between two settings of weights by one neuron. */
  weightsRateLimit: 100,
  /** What a hotkey may commit in one tempo; a commitment counts as 100 at least. */
  commitmentBytes: 3100,
}

export type Params = Readonly<typeof PARAMS>

/** What a hotkey asks of the local chain: a commitment, its fields in hex, or weights. */
export type Call = { readonly fields: readonly string[] } | { readonly weights: Weights }

/**
 * A call signed for one chain. Nonces rise, with gaps as the signer likes; it has no effect in a
 * block after `until`.
 */
export interface Extrinsic {
  readonly hotkey: string
  readonly nonce: number
  readonly until: number
  readonly call: Call
  readonly signature: string
}

/** A block of the local chain. `hash` is over its parent's and all that is in it. */
export interface Block {
  /** Milliseconds, for people. */
  readonly time: number
  /** 32 random bytes, so that nobody can predict the hash. */
  readonly entropy: string
  /** Every call with the name of its refusal, '' when it took effect. */
  readonly calls: readonly (readonly [extrinsic: Extrinsic, refusal: string])[]
  readonly hash: string
}

/** What a chain starts from; its hash stands for the parent of block 0. */
export interface Setup {
  readonly format: 'affine-chain/1'
  readonly netuid: number
  readonly params: Params
  /** Stakes in rao, decimal. A neuron's index is its uid. */
  readonly neurons: readonly { readonly hotkey: string; readonly stake: string }[]
}

export type Log = Setup & { readonly blocks: readonly Block[] }

export const natural: z.ZodInt = z.int().min(0)
const u16 = natural.max(65_535)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const hotkey = z.string().refine((text) => decodeAddress(text) !== null)

// Wider than the chain's limits, which refuse by name: four fields, 129 bytes, more weights than
// neurons.
const fields = z.array(z.string().regex(/^([0-9a-f]{2}){0,1024}$/)).max(16)
const weights = z.array(z.tuple([u16, u16])).max(4096)

export const extrinsicShape: z.ZodType<Extrinsic> = z.strictObject({
  hotkey,
  nonce: natural,
  until: natural,
  call: z.union([z.strictObject({ fields }), z.strictObject({ weights })]),
  signature: z.string().regex(/^[0-9a-f]{128}$/),
})

const calls = z.array(z.tuple([extrinsicShape, z.string()])).max(4096)
const neuron = z.strictObject({ hotkey, stake: z.string().regex(/^(0|[1-9][0-9]{0,19})$/) })

export const logShape: z.ZodType<Log> = z.strictObject({
  format: z.literal('affine-chain/1'),
  netuid: u16,
  params: z
    .record(z.enum(Object.keys(PARAMS) as (keyof Params)[]), natural)
    .refine(({ tempo }) => tempo > 0),
  neurons: z
    .array(neuron)
    .refine((neurons) => new Set(neurons.map(({ hotkey }) => hotkey)).size === neurons.length),
  blocks: z.array(z.strictObject({ time: natural, entropy: hash, calls, hash })),
})

/**
 * What a JSON text says. @throws ChainError of that `code`, saying where, when it has another
 * shape.
 */
export function read<T>(shape: z.ZodType<T>, text: string, code: string): T {
  try {
    return shape.parse(JSON.parse(text))
  } catch (error) {
    const path = error instanceof z.ZodError ? error.issues[0]?.path : undefined
    throw new ChainError(
      code,
      `the text is not as it should be at "${path?.join('.') ?? 'the start'}"`,
    )
  }
}

/** blake2b-256, in hex, of a value's JSON text. For values of one fixed shape. */
export const hashOf = (value: unknown): string =>
  bytesToHex(blake2b(utf8ToBytes(JSON.stringify(value)), { dkLen: 32 }))

type Network = Pick<Chain, 'genesis' | 'netuid'>

// Longer than 32 bytes, so it can't pass for the hash of an evidence block, which the same key
// signs.
const payload = (
  { genesis, netuid }: Network,
  { hotkey, nonce, until, call }: Omit<Extrinsic, 'signature'>,
) => utf8ToBytes(JSON.stringify(['affine-chain/1', genesis, netuid, hotkey, nonce, until, call]))

type Draft = Pick<Extrinsic, 'nonce' | 'until' | 'call'>

export function signExtrinsic(
  { hotkey, sign }: Account,
  network: Network,
  { nonce, until, call }: Draft,
): Extrinsic {
  const unsigned = { hotkey, nonce, until, call }
  return { ...unsigned, signature: bytesToHex(sign(payload(network, unsigned))) }
}

/** Did its hotkey sign it for this chain? Never throws. */
export const isSigned = (network: Network, extrinsic: Extrinsic): boolean =>
  verify(payload(network, extrinsic), hexToBytes(extrinsic.signature), extrinsic.hotkey)

/**
 * A commitment slot with its fields in hex, and how many bytes its hotkey has committed in the
 * tempo of that block.
 */
type Slot = Omit<CommitmentSlot, 'fields'> & {
  readonly fields: readonly string[]
  readonly bytes: number
}

/**
 * The subnet at a block. Collections are replaced, never changed: blocks share what stayed the
 * same.
 */
export interface State {
  readonly params: Params
  readonly block: number
  /** By uid. */
  neurons: readonly Neuron[]
  weights: ReadonlyMap<string, Weights>
  slots: ReadonlyMap<string, Slot>
  /** The lowest nonce that each hotkey may use next. */
  nonces: ReadonlyMap<string, number>
}

/**
 * Uids in the order of the setup; permits to the highest stakes that reach the threshold, the
 * higher uid in a tie.
 */
export function begin({ params, neurons }: Setup): State {
  const all = neurons.map((one, uid) => ({
    ...one,
    uid,
    stake: BigInt(one.stake),
    permit: false,
    lastUpdate: 0,
  }))
  const able = all.filter(({ stake }) => stake > 0n && stake >= params.stakeThreshold)
  able.sort((a, b) => Number(b.stake - a.stake) || b.uid - a.uid)
  for (const neuron of able.slice(0, params.maxValidators)) neuron.permit = true
  return { params, block: 0, neurons: all, weights: new Map(), slots: new Map(), nonces: new Map() }
}

/**
 * Carries out a call, or says why not and changes nothing but the nonce: subtensor's checks of
 * `set_weights` and `set_commitment`, in their order. No clock, no I/O, no signatures.
 */
export function apply(state: State, { hotkey, nonce, until, call }: Extrinsic): Refusal | null {
  if (state.block > until) return 'AncientBirthBlock'
  if (nonce < (state.nonces.get(hotkey) ?? 0)) return 'Stale'
  state.nonces = new Map(state.nonces).set(hotkey, nonce + 1)
  const neuron = state.neurons.find((neuron) => neuron.hotkey === hotkey)
  return 'fields' in call
    ? commit(state, neuron, call.fields)
    : setWeights(state, neuron, call.weights)
}

function commit(
  state: State,
  neuron: Neuron | undefined,
  fields: readonly string[],
): Refusal | null {
  if (!neuron) return 'AccountNotAllowedCommit'
  if (fields.length > MAX_FIELDS) return 'TooManyFieldsInCommitmentInfo'
  if (fields.some(({ length }) => length / 2 > MAX_FIELD_BYTES)) return 'FieldTooLong'
  const { block, params } = state
  const { hotkey } = neuron
  const last = state.slots.get(hotkey)
  const isSameTempo =
    last && Math.floor(last.block / params.tempo) === Math.floor(block / params.tempo)
  const bytes = (isSameTempo ? last.bytes : 0) + Math.max(100, fields.join('').length / 2)
  if (bytes > params.commitmentBytes) return 'SpaceLimitExceeded'
  state.slots = new Map(state.slots).set(hotkey, { hotkey, block, fields, bytes })
  return null
}

function setWeights(state: State, neuron: Neuron | undefined, weights: Weights): Refusal | null {
  const { block, neurons, params } = state
  const uids = new Set(weights.map(([uid]) => uid))
  if ((neuron?.stake ?? 0n) < params.stakeThreshold) return 'StakeAmountTooLow' // before it is let into a block
  if (weights.length > neurons.length) return 'UidsLengthExceedUidsInSubNet'
  if (!neuron) return 'HotKeyNotRegisteredInSubNet'
  const { uid, permit, lastUpdate } = neuron
  if (lastUpdate !== 0 && block - lastUpdate < params.weightsRateLimit)
    return 'SettingWeightsTooFast'
  if (!permit && (weights.length !== 1 || !uids.has(uid))) return 'NeuronNoValidatorPermit'
  if (uids.size < weights.length) return 'DuplicateUids'
  if (Math.max(...uids) >= neurons.length) return 'UidVecContainInvalidOne'
  if (weights.length === 0) return 'WeightVecLengthIsLow'
  state.weights = new Map(state.weights).set(neuron.hotkey, rescale(weights))
  state.neurons = neurons.map((other) =>
    other === neuron ? { ...neuron, lastUpdate: block } : other,
  )
  return null
}

const MAX_WEIGHT = 65_535
const UNIT = 2 ** 32 // the chain scales in 32.32 fixed point

/**
 * What the chain keeps of `weights`: the largest becomes 65535 and the others keep their ratio to
 * it, halves up.
 *
 * Source: `vec_max_upscale_to_u16` in subtensor, bit for bit. Vectors:
 * vectors/chain/max-upscale.json.
 */
export function rescale(weights: Weights): Weights {
  const largest = Math.max(...weights.map(([, weight]) => weight))
  if (largest === 0) return weights
  // Above 32768 the chain divides first, so that no product overflows; its quotient loses what is
  // below 2^-32.
  const quotient = Math.floor((MAX_WEIGHT * UNIT) / largest)
  const scale = (weight: number) =>
    largest > 32_768
      ? Math.floor((weight * quotient + UNIT / 2) / UNIT)
      : Math.floor((2 * weight * MAX_WEIGHT + largest) / (2 * largest))
  return weights.map(([uid, weight]) => [uid, scale(weight)])
}
