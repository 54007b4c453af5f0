/// <reference path="./hash-wasm-blake3.d.ts" />
import { blake3 as plain } from '@noble/hashes/blake3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { IHasher } from 'hash-wasm'

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
