import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import { type Account, verify } from '../account.ts'
import type { Chain, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { hotkeyShape } from '../hotkey-shape.ts'
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

/**
 * An array, checked up to its first fault: a list of all faults could be a thousand times as long.
 */
const arrayOf = <T>(item: z.ZodMiniType<T>, most: number = Number.POSITIVE_INFINITY) =>
  z.pipe(
    z.array(z.unknown()).check(z.maxLength(most)),
    z.transform((values: unknown[], { issues }) => {
      const checked: T[] = []
      for (const [at, value] of values.entries()) {
        const { success, data, error } = item.safeParse(value)
        if (!success) {
          const path = [at, ...(error.issues[0]?.path ?? [])]
          issues.push({ code: 'custom', path, input: value })
          return z.NEVER
        }
        checked.push(data)
      }
      return checked
    }),
  )

const textLike = (pattern: RegExp) => z.string().check(z.regex(pattern))
export const natural: z.ZodMiniNumberFormat = z.int().check(z.minimum(0))
const u16 = natural.check(z.maximum(65_535))
const hashShape = textLike(/^[0-9a-f]{64}$/)

// These limits are wider than the chain's own, so that the chain refuses four fields, 129 bytes, or
// more weights than neurons, with its own code.
const fieldsShape = arrayOf(textLike(/^([0-9a-f]{2}){0,1024}$/), 16)
const weightsShape = arrayOf(z.tuple([u16, u16]), 4096)

export const extrinsicShape: z.ZodMiniType<Extrinsic> = z.strictObject({
  hotkey: hotkeyShape,
  nonce: natural,
  until: natural,
  call: z.union([
    z.strictObject({ fields: fieldsShape }),
    z.strictObject({ weights: weightsShape }),
    z.strictObject({ register: z.literal(true) }),
  ]),
  signature: textLike(/^[0-9a-f]{128}$/),
})

const blockShape = z.strictObject({
  time: natural,
  entropy: hashShape,
  calls: arrayOf(z.tuple([extrinsicShape, z.string()]), 4096),
  hash: hashShape,
})
const neuronShape = z.strictObject({
  hotkey: hotkeyShape,
  stake: textLike(/^(0|[1-9][0-9]{0,19})$/),
})

export const logShape: z.ZodMiniType<Log> = z.strictObject({
  format: z.literal('affine-chain/1'),
  netuid: u16,
  params: z
    .record(z.enum(Object.keys(PARAMS) as (keyof Params)[]), natural)
    .check(z.refine(({ tempo }) => tempo > 0)),
  neurons: arrayOf(neuronShape).check(
    z.refine((neurons) => new Set(neurons.map(({ hotkey }) => hotkey)).size === neurons.length),
  ),
  blocks: arrayOf(blockShape),
})

/**
 * The value of a JSON text of this shape.
 * @throws ChainError with this `code`, which says where the first fault is, for any other text.
 */
export function read<T>(shape: z.ZodMiniType<T>, text: string, code: string): T {
  try {
    return shape.parse(parseJson(text, MAX_COMMAS))
  } catch (error) {
    throw new ChainError(code, `the text is not valid at "${placeOf(error)}"`)
  }
}

function placeOf(error: unknown): string {
  const issue = error instanceof z.core.$ZodError ? error.issues[0] : undefined
  return issue?.path.join('.') ?? 'the start'
}

/** BLAKE2b-256 of a value's JSON text, 64 hex digits. The order of its keys counts. */
export const hashOf = (value: unknown): string =>
  bytesToHex(blake2b(utf8ToBytes(JSON.stringify(value)), { dkLen: 32 }))

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
