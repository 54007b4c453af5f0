import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToNumberBE, numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

const { G1, G2, fields } = bls12_381
const FP_BYTES = 48
const DRAND_GENESIS_MS = 1_692_803_367_000
const DRAND_PERIOD_MS = 3000
const DRAND_PUBLIC_KEY =
  '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c' +
  '8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb' +
  '5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a'
const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const SUITE = new TextEncoder().encode('AES_GCM_')

/**
 * Returns the round of drand's quicknet at a Unix time in milliseconds, as Bittensor counts it: the
 * number of whole periods of 3 s since quicknet's genesis.
 *
 * drand counts from 1, so this round was published 3 to 6 s before `timeMs`. In the first period
 * the result is 0, a round that is never published.
 * @throws RangeError before quicknet's genesis, 2023-08-23.
 */
export function computeDrandRound(timeMs: number): number {
  if (!(timeMs >= DRAND_GENESIS_MS && timeMs <= Number.MAX_SAFE_INTEGER))
    throw new RangeError(`"timeMs" expected at least ${DRAND_GENESIS_MS}, got ${timeMs}`)
  return Math.floor((timeMs - DRAND_GENESIS_MS) / DRAND_PERIOD_MS)
}

/**
 * Encrypts a text so that anyone can decrypt it after drand's quicknet has signed `round`, and no
 * one before. The result has the format that subtensor reads: tlock over BLS12-381, with the body
 * in AES-256-GCM. It is 244 bytes longer than `plaintext`, and does not prove who encrypted it.
 *
 * `random` is called for 32 bytes (sigma), 32 (the key of the body) and 12 (its nonce), in this
 * order. The bytes must be secret and never reused. Takes about 20 ms. Browsers require a secure
 * context, for WebCrypto.
 *
 * Source: Gailly, Melissaris and Romailler, "tlock", eprint 2023/189. Vectors:
 * vectors/chain/timelock.json.
 */
export async function timelockEncrypt(
  plaintext: Uint8Array,
  round: number,
  random: (size: number) => Uint8Array,
): Promise<Uint8Array> {
  const draw = (size: number) => Uint8Array.from(random(size)) // `random` may reuse its buffer
  const sigma = draw(32)
  const key = draw(32)
  const nonce = draw(12)
  const r = G1.Point.Fn.create(bytesToNumberBE(sha256(concatBytes(sigma, key))))
  const q = G1.hashToCurve(sha256(numberToBytesBE(round, 8)), { DST })
  // e(q, r·pk) equals e(r·q, pk), and multiplication in G1 is cheaper.
  const shared = bls12_381.pairing(q.multiply(r), G2.Point.fromHex(DRAND_PUBLIC_KEY))
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
  const body = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: nonce },
    aes,
    Uint8Array.from(plaintext),
  )
  return concatBytes(
    G2.Point.BASE.multiply(r).toBytes(),
    prefixLength(xor(sigma, sha256(encodeTarget(shared)))),
    prefixLength(xor(key, sha256(sigma))),
    prefixLength(concatBytes(prefixLength(new Uint8Array(body)), prefixLength(nonce))),
    prefixLength(SUITE),
  )
}

/**
 * Returns the twelve coordinates of a pairing's result, each in little-endian order as arkworks
 * encodes them. `toBytes` is big-endian.
 */
function encodeTarget(element: Parameters<typeof fields.Fp12.toBytes>[0]): Uint8Array {
  const bytes = fields.Fp12.toBytes(element)
  for (let at = 0; at < bytes.length; at += FP_BYTES) bytes.subarray(at, at + FP_BYTES).reverse()
  return bytes
}

const prefixLength = (bytes: Uint8Array) => concatBytes(numberToBytesLE(bytes.length, 8), bytes)

const xor = (a: Uint8Array, b: Uint8Array) => a.map((byte, i) => byte ^ (b[i] ?? 0))
