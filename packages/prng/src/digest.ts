import { bytesToHex } from '@noble/hashes/utils.js'
import { blake3 } from './blake3.ts'
import { canonicalize, type Json } from './canonical-json.ts'

/** 64 lower-case hex digits. */
export type Hash = string

const encoder = /* @__PURE__ */ new TextEncoder()

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
  return bytesToHex(blake3(encoder.encode(textOf(tag, fields))))
}

/** Room for what comes last, in bytes; longer texts take another way. */
const ROOM = 256

/**
 * The 32 bytes of `digest(tag, ...fields, last)` for one `last` after another. What comes before it
 * is written once, into memory that is used again: new memory costs as much as the hash.
 */
export function digestsAfter(tag: string, ...fields: Json[]): (last: Json) => Uint8Array {
  const start = encoder.encode(`${textOf(tag, fields).slice(0, -1)},`)
  const buffer = new Uint8Array(start.length + ROOM)
  buffer.set(start)
  const end = buffer.subarray(start.length)
  return (last) => {
    const text = `${canonicalize(last)}]`
    if (3 * text.length > ROOM) return blake3(start, encoder.encode(text))
    const { written } = encoder.encodeInto(text, end)
    return blake3(buffer.subarray(0, start.length + written))
  }
}

/**
 * `digest(tag, value)` of the value whose canonical text is `text`, in UTF-8: so that bytes can be
 * checked before they are parsed. Of other bytes it is the digest of nothing.
 */
export function digestOfText(tag: string, text: Uint8Array): Hash {
  const start = encoder.encode(`${textOf(tag, []).slice(0, -1)},`)
  return bytesToHex(blake3(start, text, encoder.encode(']')))
}

function textOf(tag: string, fields: readonly Json[]): string {
  if (typeof tag !== 'string') throw new TypeError(`"tag" expected a string, got ${typeof tag}`)
  return canonicalize(['affine/1', tag, ...fields])
}
