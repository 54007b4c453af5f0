import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import * as sr25519 from '@scure/sr25519'
import type { Key } from './lane.ts'

/** A real sr25519 key; its signatures are deterministic. */
export function keyOf(seed: number): Key {
  const secret = sr25519.secretFromSeed(new Uint8Array(32).fill(seed))
  const body = concatBytes(Uint8Array.of(42), sr25519.getPublicKey(secret))
  const checksum = blake2b(concatBytes(utf8ToBytes('SS58PRE'), body), { dkLen: 64 }).subarray(0, 2)
  return {
    hotkey: base58.encode(concatBytes(body, checksum)),
    sign: (message) => sr25519.sign(secret, message, new Uint8Array(32)),
    verify: (message, signature, hotkey) => {
      try {
        return sr25519.verify(message, signature, base58.decode(hotkey).subarray(1, 33))
      } catch {
        return false
      }
    },
  }
}
