import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { CommitmentSlot } from './chain.ts'

/**
 * The hash of the last block of a validator's lane, and the bucket's URL. Protocol §5.2.
 */
interface Seal {
  readonly kind: 'seal'
  readonly epoch: number
  readonly head: string
  readonly url: string
}

/**
 * The lanes that a validator verified and now serves, the digest of its next secret, the root of
 * the state, and the bucket's URL. Protocol §5.2.
 */
interface AttestationCommitment {
  readonly kind: 'attest'
  readonly epoch: number
  /** 16 bytes. Bit i, in byte i >> 3 with the lowest bit first, is 1 for the i-th voter's lane. */
  readonly bitmap: Uint8Array
  readonly next: string
  readonly stateRoot: string
  readonly url: string
}

/** The model that a miner serves. Protocol §5.3. */
interface MinerCommitment {
  readonly kind: 'miner'
  readonly model: string
  readonly revision: string
  readonly chute: string
}

/**
 * The content of the commitment slot of a validator or a miner. Hashes are 64 lower-case hex
 * digits.
 */
export type Commitment = Seal | AttestationCommitment | MinerCommitment

/** The chain's limits for one commitment. */
export const MAX_FIELDS = 3
export const MAX_FIELD_BYTES = 128

/**
 * A validator's first field starts with the version and the kind, one byte each. The field's size
 * depends on the kind. Protocol §5.2.
 */
const VERSION = 1
const SEAL = 1
const ATTEST = 2
const SEAL_BYTES = 38
const ATTEST_BYTES = 86

/**
 * Returns the fields for `commit`: a payload and the bucket's URL for a validator, three texts for
 * a miner. Protocol §5.2, §5.3.
 * @throws RangeError for an epoch that is not 32 bits, a malformed hash or bitmap, and a text that
 *   is empty, over 128 bytes or has a lone surrogate.
 */
export function encodeCommitment(commitment: Commitment): Uint8Array[] {
  if (commitment.kind === 'miner')
    return (['model', 'revision', 'chute'] as const).map((name) =>
      encodeText(name, commitment[name]),
    )
  return [encodePayload(commitment), encodeText('url', commitment.url)]
}

/** The payload starts with the version, the kind, and the epoch in 4 bytes, lowest first. */
function encodePayload(commitment: Seal | AttestationCommitment): Uint8Array {
  const { kind, epoch } = commitment
  if (!Number.isInteger(epoch) || epoch < 0 || epoch > 0xffff_ffff)
    throw new RangeError(`"epoch" expected 0..4294967295, got ${epoch}`)
  const start = Uint8Array.of(VERSION, kind === 'seal' ? SEAL : ATTEST, 0, 0, 0, 0)
  new DataView(start.buffer).setUint32(2, epoch, true)
  if (kind === 'seal') return concatBytes(start, encodeHash('head', commitment.head))
  const { bitmap, next, stateRoot } = commitment
  if (bitmap.length !== 16) throw new RangeError(`"bitmap" expected 16 bytes, got ${bitmap.length}`)
  return concatBytes(start, bitmap, encodeHash('next', next), encodeHash('stateRoot', stateRoot))
}

function encodeHash(name: string, text: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new RangeError(`"${name}" expected 64 lower-case hex digits, got ${text}`)
  return hexToBytes(text)
}

function encodeText(name: string, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  if (isSized(bytes) && decodeText(bytes) === text) return bytes
  const expectation = `1..${MAX_FIELD_BYTES} bytes of UTF-8 without lone surrogates`
  throw new RangeError(`"${name}" expected ${expectation}, got ${bytes.length}`)
}

/**
 * Returns the commitment in the fields of `hotkey`'s slot, or null if they are not a commitment of
 * this protocol. A miner's `model` must end with `hotkey`, so no other miner can commit that model.
 * Nor can another miner use the chute, since a chute must have the name of the committed model.
 * Never throws. Protocol §5.2, §5.3.
 *
 * Texts may contain any character, and `url` may lead anywhere: the caller has to check them.
 */
export function decodeCommitment(fields: readonly Uint8Array[], hotkey: string): Commitment | null {
  if (!fields.every(isSized)) return null
  if (fields.length === 3) return decodeMiner(fields, hotkey)
  const [payload, address] = fields
  if (fields.length !== 2 || payload === undefined || address === undefined) return null
  const url = decodeText(address)
  if (url === null || payload[0] !== VERSION) return null
  const [, kind] = payload
  if (kind === SEAL && payload.length === SEAL_BYTES)
    return { kind: 'seal', epoch: epochIn(payload), head: hashAt(payload, 6), url }
  if (kind !== ATTEST || payload.length !== ATTEST_BYTES) return null
  return {
    kind: 'attest',
    epoch: epochIn(payload),
    bitmap: payload.slice(6, 22),
    next: hashAt(payload, 22),
    stateRoot: hashAt(payload, 54),
    url,
  }
}

function decodeMiner(fields: readonly Uint8Array[], hotkey: string): MinerCommitment | null {
  const [model, revision, chute] = fields.map(decodeText)
  if (model == null || revision == null || chute == null) return null
  if (!model.endsWith(hotkey)) return null
  return { kind: 'miner', model, revision, chute }
}

const epochIn = (payload: Uint8Array): number =>
  new DataView(payload.buffer, payload.byteOffset).getUint32(2, true)

const hashAt = (payload: Uint8Array, start: number): string =>
  bytesToHex(payload.subarray(start, start + 32))

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null // not UTF-8
  }
}

const isSized = ({ length }: Uint8Array): boolean => length > 0 && length <= MAX_FIELD_BYTES

/** A commitment slot as JSON data. */
export type SlotRecord = {
  readonly hotkey: string
  readonly block: number
  readonly kind: string
  readonly says: Readonly<Record<string, unknown>>
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Returns the content of a slot, with bytes in hex. `kind` is `unknown` if the slot has no
 * commitment of this protocol.
 */
export function readSlot({ hotkey, block, fields }: CommitmentSlot): SlotRecord {
  const { kind, ...says } = decodeCommitment(fields, hotkey) ?? {
    kind: 'unknown',
    text: fields.map((field) => decoder.decode(field)),
    hex: fields.map((field) => bytesToHex(field)),
  }
  const bitmap = 'bitmap' in says && { bitmap: bytesToHex(says.bitmap) }
  return { hotkey, block, kind, says: { ...says, ...bitmap } }
}
