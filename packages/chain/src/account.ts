import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import * as sr25519 from '@scure/sr25519'

/** A key that signs. `sign` takes the raw bytes; there is no `<Bytes>` wrapping. */
export interface Account {
  readonly hotkey: string
  sign(message: Uint8Array): Uint8Array
}

const SS58 = new TextEncoder().encode('SS58PRE')

/**
 * The sr25519 account of a 32-byte mini secret, as `subkey` and Bittensor wallets expand it; or of
 * the 64 bytes of a secret key already expanded, as derivation gives it: the scalar times 8, and
 * the nonce.
 *
 * Signatures are deterministic: the nonce comes from the secret and the message alone, so a seeded
 * run repeats.
 * @throws RangeError unless the seed has 32 bytes, or 64 with a scalar above 0 and below the
 *   group's order.
 */
export function account(seed: Uint8Array): Account {
  if (seed.length !== 32 && seed.length !== 64)
    throw new RangeError(`"seed" expected 32 bytes, or 64 of a secret key, got ${seed.length}`)
  const secret = seed.length === 32 ? sr25519.secretFromSeed(seed) : seed.slice()
  return {
    hotkey: encodeAddress(sr25519.getPublicKey(secret)),
    sign: (message) => sr25519.sign(secret, message, new Uint8Array(32)),
  }
}

/**
 * Did `hotkey` sign exactly these bytes, under the context `substrate`? Malformed input is false.
 * Never throws.
 */
export function verify(message: Uint8Array, signature: Uint8Array, hotkey: string): boolean {
  try {
    const publicKey = decodeAddress(hotkey)
    return publicKey !== null && sr25519.verify(message, signature, publicKey)
  } catch {
    return false // a point off the curve, a missing marker, a wrong length
  }
}

/**
 * The SS58 address (prefix 42) of a public key.
 * @throws RangeError unless the key has 32 bytes.
 */
export function encodeAddress(publicKey: Uint8Array): string {
  if (publicKey.length !== 32)
    throw new RangeError(`"publicKey" expected 32 bytes, got ${publicKey.length}`)
  const body = concatBytes(Uint8Array.of(42), publicKey)
  return base58.encode(concatBytes(body, blake2b(concatBytes(SS58, body)).subarray(0, 2)))
}

/** The 32 bytes of an SS58 address with prefix 42; null for anything else. Never throws. */
export function decodeAddress(address: string): Uint8Array | null {
  try {
    if (address.length > 48) return null // base58 takes quadratic time
    const publicKey = base58.decode(address).slice(1, 33)
    return encodeAddress(publicKey) === address ? publicKey : null
  } catch {
    return null // no text, not base58, or too short
  }
}
