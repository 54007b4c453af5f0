import * as plain from '@scure/sr25519'

type RawVerify = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean

/**
 * polkadot-js's schnorrkel in WebAssembly, once it runs: ten times as fast as plain JavaScript.
 */
let compiled: RawVerify | undefined
let starting: Promise<void> | undefined

/**
 * Is this the key's signature over exactly these bytes? The first call starts the WebAssembly.
 * Until it runs, and wherever it cannot run, plain JavaScript gives the same answer. Never throws.
 */
export function verifySignature(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  // Anyone can sign for the group's identity, a key of zeros. Plain JavaScript refuses it,
  // schnorrkel does not.
  if (publicKey.every((byte) => byte === 0)) return false
  try {
    if (compiled !== undefined) return compiled(signature, message, publicKey)
    void verifyReady()
    return plain.verify(message, signature, publicKey)
  } catch {
    return false // a point off the curve, a missing marker, a wrong length
  }
}

/**
 * Resolves once `verify` is as fast as it can be here. Wait for it before you verify many
 * signatures without a pause, during which the WebAssembly could not start. Never rejects.
 */
export function verifyReady(): Promise<void> {
  starting ??= start()
  return starting
}

async function start(): Promise<void> {
  try {
    const { sr25519Verify, waitReady } = await import('@polkadot/wasm-crypto')
    if (await waitReady()) compiled = sr25519Verify
  } catch {
    // there is no WebAssembly here, or this page may not compile it
  }
}
