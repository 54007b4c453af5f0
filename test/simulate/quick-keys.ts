import { createHash } from 'node:crypto'

// Replaces @scure/sr25519, whose signatures take about 5 ms each, and its WebAssembly version.
// Anyone with the public key can sign, but no one in a simulation forges. Real signatures have
// other tests.

const hash = (...parts: readonly Uint8Array[]): Uint8Array => {
  const sha512 = createHash('sha512')
  for (const part of parts) sha512.update(part)
  return new Uint8Array(sha512.digest())
}

export const secretFromSeed = (seed: Uint8Array): Uint8Array => hash(seed)
export const getPublicKey = (secret: Uint8Array): Uint8Array => hash(secret).subarray(0, 32)
export const sign = (secret: Uint8Array, message: Uint8Array): Uint8Array =>
  hash(getPublicKey(secret), message)
export const verify = (message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean =>
  Buffer.from(hash(key, message)).equals(signature)
/** Only wallets use HDKD, and simulations open no wallet. */
export const HDKD: undefined = undefined
export const bytes: undefined = undefined
