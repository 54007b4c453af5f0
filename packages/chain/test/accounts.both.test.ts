import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { secretFromSeed } from '@scure/sr25519'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/chain/accounts.json' with { type: 'json' }
import {
  account,
  decodeAddress,
  ed25519Account,
  encodeAddress,
  verify,
  verifyCall,
} from '../src/index.ts'

const { keys, addresses, signatures, ed25519 } = vectors
const alice = account(hexToBytes(keys[0]!.seed))
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

test.each(keys)('derives the sr25519 key of $uri', ({ seed, publicKey, hotkey }) => {
  expect(account(hexToBytes(seed)).hotkey).toBe(hotkey)
  expect(encodeAddress(hexToBytes(publicKey))).toBe(hotkey)
})

test.each(addresses)('decodes an address: $what', ({ input, want }) => {
  const key = decodeAddress(input)
  expect(key && bytesToHex(key)).toBe(want)
})

test.each(signatures)('verifies a signature: $what', ({ message, signature, hotkey, want }) => {
  for (const check of [verify, verifyCall])
    expect(check(hexToBytes(message), hexToBytes(signature), hotkey)).toBe(want)
})

test('signs deterministically, as in the vectors', () => {
  const { message, signature } = signatures[1]!
  expect(bytesToHex(alice.sign(hexToBytes(message)))).toBe(signature)
})

test.each(ed25519)(
  'derives the Ed25519 key of $uri',
  ({ seed, publicKey, hotkey, message, signature }) => {
    const signer = ed25519Account(hexToBytes(seed))
    expect([signer.hotkey, signer.scheme]).toEqual([hotkey, 'ed25519'])
    expect(encodeAddress(hexToBytes(publicKey))).toBe(hotkey)
    const signed = signer.sign(hexToBytes(message))
    expect(bytesToHex(signed)).toBe(signature)
    expect(verifyCall(hexToBytes(message), signed, hotkey)).toBe(true)
    expect(verify(hexToBytes(message), signed, hotkey)).toBe(false)
  },
)

test('rejects a call signed for an Ed25519 key of small order', () => {
  const neutral = new Uint8Array(32).fill(1, 0, 1)
  const signature = new Uint8Array(64).fill(1, 0, 1) // R is the neutral element, s is 0
  expect(verifyCall(utf8ToBytes('any'), signature, encodeAddress(neutral))).toBe(false)
})

test.each([
  ['sr25519', account, verify],
  ['Ed25519', ed25519Account, verifyCall],
])('verifies a signature of %s, and rejects it with any bit flipped', (_, make, verify) => {
  fc.assert(
    fc.property(bytes(32), fc.uint8Array({ minLength: 1 }), fc.nat(), (seed, message, at) => {
      const signer = make(seed)
      const signature = signer.sign(message)
      expect(verify(message, signature, signer.hotkey)).toBe(true)
      const parts = [message, signature, decodeAddress(signer.hotkey)!]
      for (const part of parts) {
        const bit = at % (part.length * 8)
        part[bit >> 3]! ^= 1 << (bit & 7)
        expect(verify(parts[0]!, parts[1]!, encodeAddress(parts[2]!))).toBe(false)
        part[bit >> 3]! ^= 1 << (bit & 7)
      }
    }),
    { numRuns: 10 },
  )
})

test.each([
  ['a mini secret', account, hexToBytes(keys[0]!.seed)],
  ['an expanded secret', account, secretFromSeed(hexToBytes(keys[0]!.seed))],
  ['an Ed25519 seed', ed25519Account, hexToBytes(ed25519[0]!.seed)],
])('copies %s: overwriting it later changes no signature', (_, make, secret) => {
  const signer = make(secret)
  const want = signer.sign(new Uint8Array())
  secret.fill(1)
  expect(signer.sign(new Uint8Array())).toEqual(want)
})

test('rejects a seed or a key of a wrong length', () => {
  for (const size of [31, 96])
    expect(() => account(new Uint8Array(size))).toThrow(`of a secret key, got ${size}`)
  expect(() => ed25519Account(new Uint8Array(64))).toThrow('"seed" expected 32 bytes, got 64')
  expect(() => encodeAddress(new Uint8Array(33))).toThrow('"publicKey" expected 32 bytes, got 33')
})
