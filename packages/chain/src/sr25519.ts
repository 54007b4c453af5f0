import * as plain from '@scure/sr25519'

type RawVerify = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean

/** schnorrkel in WebAssembly, as polkadot-js brings it, once it runs: some ten times as fast. */
let compiled: RawVerify | undefined
let starting: Promise<void> | undefined

/**
 * Is it the key's signature, over exactly these bytes? Nobody has to choose or wait: the first call
 * starts the WebAssembly, and until it runs, or where it cannot, plain JavaScript says the same.
 * Never throws.
 */
export function verifySignature(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  // Everybody can sign for the identity. Plain JavaScript refuses it, schnorrkel does not.
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
 * Resolves once `verify` is as fast as it gets here. For who has so much to verify, without a
 * pause, that the WebAssembly would not come to start. Never rejects.
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
    // no WebAssembly here, or none that this page may compile
  }
}
