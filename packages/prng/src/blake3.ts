import { blake3 as plain } from '@noble/hashes/blake3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { IHasher } from 'hash-wasm'

/** hash-wasm's hasher, once it runs: some ten times as fast as plain JavaScript. */
let compiled: IHasher | undefined
let isAsked = false

/**
 * BLAKE3-256 of these bytes, one after the other. Nobody has to choose or wait: the first call
 * starts the WebAssembly, and until it runs, or where it cannot, plain JavaScript gives the same 32
 * bytes.
 */
export function blake3(...parts: readonly Uint8Array[]): Uint8Array {
  if (!isAsked) start()
  if (compiled === undefined) return plain(concatBytes(...parts))
  compiled.init()
  for (const part of parts) compiled.update(part)
  return compiled.digest('binary')
}

function start(): void {
  isAsked = true
  import('hash-wasm')
    .then(({ createBLAKE3 }) => createBLAKE3())
    .then(
      (hasher) => {
        compiled = hasher
      },
      () => undefined, // no WebAssembly here, or none that this page may compile
    )
}
