import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalize, type Json } from './canonical-json.ts'

/** 64 lower-case hex digits. */
export type Hash = string

const encoder = new TextEncoder()

/**
 * BLAKE3-256 of the canonical text of `["affine/1", tag, ...fields]`. The tag keeps one use from
 * passing for another, the array keeps fields from running into one another. A field may be 15
 * deep: the array is one level.
 *
 * Not a MAC and not for passwords.
 *
 * Vectors: vectors/prng/digest.json. Protocol §1.2.
 * @throws TypeError unless `tag` is a string; and TypeError or RangeError as `canonicalize` does.
 */
export function digest(tag: string, ...fields: Json[]): Hash {
  if (typeof tag !== 'string') throw new TypeError(`"tag" expected a string, got ${typeof tag}`)
  return bytesToHex(blake3(encoder.encode(canonicalize(['affine/1', tag, ...fields]))))
}

/**
 * `digest(tag, value)` of the value whose canonical text is `text`, in UTF-8: so that bytes can be
 * checked before they are parsed. Of other bytes it is the digest of nothing.
 */
export function digestOfText(tag: string, text: Uint8Array): Hash {
  const start = encoder.encode(`["affine/1",${canonicalize(tag)},`)
  return bytesToHex(blake3.create().update(start).update(text).update(encoder.encode(']')).digest())
}
