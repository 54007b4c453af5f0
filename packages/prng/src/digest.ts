/// <reference path="./hash-wasm-blake3.d.ts" />
import { blake3 as plain } from '@noble/hashes/blake3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import type { IHasher } from 'hash-wasm'
import { canonicalize, type Json } from './canonical-json.ts'

/** 64 lower-case hex digits. */
export type Hash = string

const encoder = /* @__PURE__ */ new TextEncoder()

/**
 * BLAKE3-256 of the canonical text of `["affine/1", tag, ...fields]`. The tag keeps digests of
 * different uses apart, the array keeps fields apart. A field may be nested 15 deep, as the array
 * is one level.
 *
 * Not a MAC and not for passwords.
 *
 * Vectors: vectors/prng/digest.json. Protocol §1.2.
 * @throws TypeError unless `tag` is a string; and TypeError or RangeError as `canonicalize` does.
 */
export function digest(tag: string, ...fields: Json[]): Hash {
  return bytesToHex(blake3(encoder.encode(textOf(tag, fields))))
}

/** Room for the last fields, in bytes. Longer ones are hashed without this buffer. */
const ROOM = 256

/**
 * A function of `last` that gives the 32 bytes of `digest(tag, ...fields, ...last)`. What comes
 * before `last` is written once, into memory that every call uses again: new memory costs as much
 * time as the hash.
 */
export function digestsAfter(tag: string, ...fields: Json[]): (...last: Json[]) => Uint8Array {
  const start = encoder.encode(`${textOf(tag, fields).slice(0, -1)},`)
  const buffer = new Uint8Array(start.length + ROOM)
  buffer.set(start)
  const end = buffer.subarray(start.length)
  return (...last) => {
    const text = canonicalize(last).slice(1)
    if (3 * text.length > ROOM) return blake3(start, encoder.encode(text))
    const { written } = encoder.encodeInto(text, end)
    return blake3(buffer.subarray(0, start.length + written))
  }
}

/**
 * `digest(tag, value)`, where `text` is the canonical text of `value` in UTF-8. So bytes can be
 * checked before they are parsed. For other bytes it is the digest of no value.
 */
export function digestOfText(tag: string, text: Uint8Array): Hash {
  const start = encoder.encode(`${textOf(tag, []).slice(0, -1)},`)
  return bytesToHex(blake3(start, text, encoder.encode(']')))
}

function textOf(tag: string, fields: readonly Json[]): string {
  if (typeof tag !== 'string') throw new TypeError(`"tag" expected a string, got ${typeof tag}`)
  return canonicalize(['affine/1', tag, ...fields])
}

/** hash-wasm's hasher, once it runs: ten times as fast as plain JavaScript. */
let compiled: IHasher | undefined
let starting: Promise<void> | undefined

/**
 * BLAKE3-256 of these parts, one after the other: 32 bytes. The first call starts the WebAssembly.
 * Until it runs, and wherever it cannot run, plain JavaScript gives the same bytes.
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
 * Resolves once `blake3` is as fast as it can be here. Wait for it before you hash much without a
 * pause, during which the WebAssembly could not start. Never rejects.
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
    // There is no WebAssembly here, or this page may not compile it, or it is a bundle for
    // browsers, from which package.json leaves it out, since it has 10 kB.
  }
}
