import { ed25519 } from '@noble/curves/ed25519.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import * as sr25519 from '@scure/sr25519'

export type Scheme = 'sr25519' | 'ed25519'

/**
 * A key that can sign. `sign` signs exactly the given bytes, without the `<Bytes>` tags that
 * wallets add around a message. Protocol §1.4.
 */
export interface Account {
  readonly hotkey: string
  /** Chains accept calls of both schemes. Evidence is valid only with sr25519. */
  readonly scheme: Scheme
  sign(message: Uint8Array): Uint8Array
}

const SS58_CONTEXT = new TextEncoder().encode('SS58PRE')
const SS58_PREFIX = 42
/** Maximum length of an address with prefix 42, in characters. */
const MAX_ADDRESS_LENGTH = 48

/**
 * Returns the sr25519 account of a secret: a mini secret of 32 bytes, expanded as in `subkey` and
 * Bittensor's wallets, or an expanded secret key of 64 bytes, which is the scalar times 8, then the
 * nonce.
 *
 * Signatures are deterministic: their nonce depends only on the secret and the message.
 * @throws RangeError unless the seed has 32 bytes, or 64 with a scalar above 0 and below the
 *   group's order.
 */
export function account(seed: Uint8Array): Account {
  if (seed.length !== 32 && seed.length !== 64)
    throw new RangeError(`"seed" expected 32 bytes, or 64 of a secret key, got ${seed.length}`)
  const secret = seed.length === 32 ? sr25519.secretFromSeed(seed) : seed.slice()
  return {
    hotkey: encodeAddress(sr25519.getPublicKey(secret)),
    scheme: 'sr25519',
    sign: (message) => sr25519.sign(secret, message, new Uint8Array(32)),
  }
}

/**
 * Returns the Ed25519 account (RFC 8032) of a seed of 32 bytes. It can sign calls to the chain, but
 * no evidence.
 * @throws RangeError unless the seed has 32 bytes.
 */
export function ed25519Account(seed: Uint8Array): Account {
  if (seed.length !== 32) throw new RangeError(`"seed" expected 32 bytes, got ${seed.length}`)
  const secret = seed.slice()
  return {
    hotkey: encodeAddress(ed25519.getPublicKey(secret)),
    scheme: 'ed25519',
    sign: (message) => ed25519.sign(message, secret),
  }
}

interface Compiled extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory
  readonly __wbindgen_malloc: (bytes: number) => number
  readonly ext_sr_verify: (...pointersAndLengths: readonly number[]) => number
}

/**
 * The WebAssembly of @polkadot/wasm-crypto, ten times as fast as JavaScript. Undefined until it is
 * loaded, and where it cannot run.
 */
let compiled: Compiled | undefined
let starting: Promise<void> | undefined

/**
 * Reports whether `hotkey` signed exactly these bytes, under the context `substrate`. False for
 * malformed input and for a key of zeros. Never throws. The first call loads the WebAssembly. Until
 * it is loaded, and where it cannot run, JavaScript returns the same result. Protocol §1.4.
 */
export function verify(message: Uint8Array, signature: Uint8Array, hotkey: string): boolean {
  const publicKey = decodeAddress(hotkey)
  // A key of zeros is the neutral element of the curve's group: without any secret, anyone can make
  // a signature for it that Schnorrkel accepts.
  if (publicKey === null || publicKey.every((byte) => byte === 0)) return false
  try {
    if (signature.length !== 64) return false
    if (compiled !== undefined) return verifyCompiled(compiled, [signature, message, publicKey])
    void verifyReady()
    return sr25519.verify(message, signature, publicKey)
  } catch {
    return false // an invalid key, or a signature of another scheme
  }
}

/**
 * Reports whether `hotkey` signed exactly these bytes with sr25519 or Ed25519: as on Substrate's
 * chains, the signer of a call chooses the scheme. No signature is valid in both schemes, since
 * only an sr25519 signature has its highest bit set. False for malformed input. Never throws.
 * Protocol §5.1.
 */
export function verifyCall(message: Uint8Array, signature: Uint8Array, hotkey: string): boolean {
  if (verify(message, signature, hotkey)) return true
  const publicKey = decodeAddress(hotkey)
  if (publicKey === null) return false
  try {
    // ZIP 215 would accept keys of small order, for which anyone can make signatures.
    return ed25519.verify(signature, message, publicKey, { zip215: false })
  } catch {
    return false // a wrong length
  }
}

/**
 * Resolves when the WebAssembly of `verify` is loaded, or loading it has failed. Await this
 * function before you verify many signatures synchronously, since the WebAssembly cannot load
 * meanwhile. Never rejects.
 */
export function verifyReady(): Promise<void> {
  starting ??= startCompiled()
  return starting
}

/** Starts the WebAssembly without its package's own code, which would load 140 modules. */
async function startCompiled(): Promise<void> {
  try {
    const { bytes } = await import('@polkadot/wasm-crypto-wasm/cjs/bytes')
    const packed = Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))
    const wasm = await new Response(unpacked).arrayBuffer()
    const { instance } = await WebAssembly.instantiate(wasm, { wbg })
    compiled = instance.exports as Compiled
  } catch {
    // The platform has no WebAssembly, or this page may not compile it.
  }
}

/** The imports, none of which `ext_sr_verify` calls. */
const wbg = /* @__PURE__ */ new Proxy({}, { get: () => () => {} })

/** Copies the arguments to memory that `ext_sr_verify` frees. */
function verifyCompiled(wasm: Compiled, parts: readonly Uint8Array[]): boolean {
  const places = parts.flatMap((part) => {
    const pointer = wasm.__wbindgen_malloc(part.length)
    new Uint8Array(wasm.memory.buffer).set(part, pointer)
    return [pointer, part.length]
  })
  return wasm.ext_sr_verify(...places) === 1
}

/**
 * Returns the SS58 address (prefix 42) of a public key. Protocol §1.4.
 * @throws RangeError unless the key has 32 bytes.
 */
export function encodeAddress(publicKey: Uint8Array): string {
  if (publicKey.length !== 32)
    throw new RangeError(`"publicKey" expected 32 bytes, got ${publicKey.length}`)
  const body = concatBytes(Uint8Array.of(SS58_PREFIX), publicKey)
  const checksum = blake2b(concatBytes(SS58_CONTEXT, body)).subarray(0, 2)
  return base58.encode(concatBytes(body, checksum))
}

/**
 * Returns the 32 bytes of an SS58 address with prefix 42, or null for anything else. Never throws.
 * Protocol §1.4.
 */
export function decodeAddress(address: string): Uint8Array | null {
  try {
    if (address.length > MAX_ADDRESS_LENGTH) return null // base58 takes quadratic time
    const publicKey = base58.decode(address).slice(1, 33)
    // Only an address with the right prefix, checksum and length encodes to the same text.
    return encodeAddress(publicKey) === address ? publicKey : null
  } catch {
    return null // not a string, not base58, or too short
  }
}
