/// <reference path="./hash-wasm-blake3.d.ts" />
import { blake3 as plain } from '@noble/hashes/blake3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import type { IHasher } from 'hash-wasm'
import { canonicalize, type Json } from './canonical-json.ts'

/** 64 lower-case hex digits. */
export type Hash = string

const encoder = /* @__PURE__ */ new TextEncoder()

/**
 * Returns the BLAKE3-256 of the canonical text of `["affine/1", tag, ...fields]`. The tag separates
 * digests of different uses, the array separates the fields. A field may be nested 15 levels deep:
 * the array is one level.
 *
 * Not a MAC, and not for passwords.
 *
 * Vectors: vectors/prng/digest.json. Protocol §1.2.
 * @throws TypeError unless `tag` is a string; and TypeError or RangeError as `canonicalize` does.
 */
export function digest(tag: string, ...fields: Json[]): Hash {
  return bytesToHex(blake3(encoder.encode(encodeFields(tag, fields))))
}

/**
 * Size of the buffer for the last fields. It is used only if they surely fit: a UTF-16 code unit
 * takes up to three bytes of UTF-8.
 */
const BUFFER_BYTES = 256

/**
 * Returns a function that returns the 32 bytes of `digest(tag, ...fields, ...last)`, for at least
 * one field in `last`. Calls reuse a buffer with `fields`: allocation takes as long as the hash.
 * Both functions throw as `digest` does.
 */
export function digestsAfter(tag: string, ...fields: Json[]): (...last: Json[]) => Uint8Array {
  const start = encoder.encode(`${encodeFields(tag, fields).slice(0, -1)},`)
  const buffer = new Uint8Array(start.length + BUFFER_BYTES)
  buffer.set(start)
  const end = buffer.subarray(start.length)
  return (...last) => {
    const text = canonicalize(last).slice(1)
    if (3 * text.length > BUFFER_BYTES) return blake3(start, encoder.encode(text))
    const { written } = encoder.encodeInto(text, end)
    return blake3(buffer.subarray(0, start.length + written))
  }
}

/**
 * Returns `digest(tag, value)` for the canonical text of `value` in UTF-8, so that bytes can be
 * checked before they are parsed. If `text` is not canonical, the result is the digest of no value.
 */
export function digestOfText(tag: string, text: Uint8Array): Hash {
  const start = encoder.encode(`${encodeFields(tag, []).slice(0, -1)},`)
  return bytesToHex(blake3(start, text, encoder.encode(']')))
}

function encodeFields(tag: string, fields: readonly Json[]): string {
  if (typeof tag !== 'string') throw new TypeError(`"tag" expected a string, got ${typeof tag}`)
  return canonicalize(['affine/1', tag, ...fields])
}

/** hash-wasm's hasher, ten times as fast as plain JavaScript. Undefined until it has started. */
let compiled: IHasher | undefined
let starting: Promise<void> | undefined

/**
 * Returns the BLAKE3-256 of the concatenated parts, 32 bytes. The first call starts WebAssembly.
 * Until it runs, or if it cannot run, plain JavaScript computes the same bytes.
 */
export function blake3(...parts: readonly Uint8Array[]): Uint8Array {
  if (compiled === undefined) {
    void blake3Ready()
    return plain(concatBytes(...parts))
  }
  compiled.init()
  for (const part of parts) compiled.update(part)
  return compiled.digest('binary')
}

/**
 * Resolves when `blake3` is as fast as it can be. Wait for it before a long synchronous
 * computation, during which WebAssembly could not start. Never rejects.
 */
export function blake3Ready(): Promise<void> {
  starting ??= start()
  return starting
}

async function start(): Promise<void> {
  try {
    const { default: functions } = await import('hash-wasm/dist/blake3.umd.min.js')
    compiled = await functions.createBLAKE3()
  } catch {
    // Plain JavaScript remains if WebAssembly is missing, the page's policy forbids it, or a
    // bundler excluded the 10 kB, as package.json asks for browsers.
  }
}
