import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'

/**
 * What a validator or a miner writes in its commitment slot. Hashes are 64 lower-case hex digits.
 */
export type Commitment =
  | { readonly kind: 'seal'; readonly epoch: number; readonly head: string; readonly url: string }
  | {
      readonly kind: 'attest'
      readonly epoch: number
      /** 16 bytes; bit i is at byte i >> 3, lowest bit first. */
      readonly bitmap: Uint8Array
      readonly next: string
      readonly stateRoot: string
      readonly url: string
    }
  | {
      readonly kind: 'miner'
      readonly model: string
      readonly revision: string
      readonly chute: string
    }

/** The chain's limits on one commitment. */
export const MAX_FIELDS = 3
export const MAX_FIELD_BYTES = 128

const VERSION = 1
const SEAL = 1
const ATTEST = 2
const SEAL_BYTES = 38
const ATTEST_BYTES = 86

/**
 * The fields that `commit` takes: bytes and the bucket's URL for a validator, three texts for a
 * miner.
 * @throws RangeError on what `decodeCommitment` would not give back: a wrong length, an empty text,
 *   a lone surrogate.
 */
export function encodeCommitment(commitment: Commitment): Uint8Array[] {
  if (commitment.kind === 'miner') {
    return (['model', 'revision', 'chute'] as const).map((name) =>
      encodeText(name, commitment[name]),
    )
  }
  const { epoch, url } = commitment
  if (!Number.isInteger(epoch) || epoch < 0 || epoch > 0xffff_ffff)
    throw new RangeError(`"epoch" expected 0..4294967295, got ${epoch}`)
  const start = Uint8Array.of(VERSION, commitment.kind === 'seal' ? SEAL : ATTEST, 0, 0, 0, 0)
  new DataView(start.buffer).setUint32(2, epoch, true)
  if (commitment.kind === 'seal')
    return [concatBytes(start, hash('head', commitment.head)), encodeText('url', url)]
  const { bitmap, next, stateRoot } = commitment
  if (bitmap.length !== 16) throw new RangeError(`"bitmap" expected 16 bytes, got ${bitmap.length}`)
  return [
    concatBytes(start, bitmap, hash('next', next), hash('stateRoot', stateRoot)),
    encodeText('url', url),
  ]
}

/**
 * Reads the fields of `hotkey`'s slot; null for what is no commitment of this protocol. A miner's
 * counts only when `model` contains its hotkey, so that a copied one is worth nothing. Never
 * throws.
 *
 * Texts may hold any character, and `url` may point anywhere: judging those is the caller's.
 */
export function decodeCommitment(fields: readonly Uint8Array[], hotkey: string): Commitment | null {
  const [first, ...rest] = fields
  if (first === undefined || fields.some(({ length }) => length === 0 || length > MAX_FIELD_BYTES))
    return null
  if (fields.length === 3) {
    const [model, revision, chute] = fields.map(decodeText)
    if (model == null || revision == null || chute == null || !model.includes(hotkey)) return null
    return { kind: 'miner', model, revision, chute }
  }
  const url = rest.length === 1 && rest[0] !== undefined ? decodeText(rest[0]) : null
  if (url === null || first.length < SEAL_BYTES || first[0] !== VERSION) return null
  const epoch = new DataView(first.buffer, first.byteOffset).getUint32(2, true)
  const hex = (from: number) => bytesToHex(first.subarray(from, from + 32))
  if (first[1] === SEAL && first.length === SEAL_BYTES)
    return { kind: 'seal', epoch, head: hex(6), url }
  if (first[1] !== ATTEST || first.length !== ATTEST_BYTES) return null
  return {
    kind: 'attest',
    epoch,
    bitmap: first.slice(6, 22),
    next: hex(22),
    stateRoot: hex(54),
    url,
  }
}

function hash(name: string, text: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new RangeError(`"${name}" expected 64 lower-case hex digits, got ${text}`)
  return hexToBytes(text)
}

function encodeText(name: string, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length === 0 || bytes.length > MAX_FIELD_BYTES)
    throw new RangeError(
      `"${name}" expected 1..${MAX_FIELD_BYTES} bytes of UTF-8, got ${bytes.length}`,
    )
  if (decodeText(bytes) !== text) throw new RangeError(`"${name}" holds a lone surrogate`)
  return bytes
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null // not UTF-8
  }
}
