import { ristretto255 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { secretFromSeed } from '@scure/sr25519'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/chain/accounts.json' with { type: 'json' }
import { account, decodeAddress, encodeAddress, verify } from '../src/index.ts'

const { keys, addresses, signatures } = vectors
const alice = account(hexToBytes(keys[0]!.seed))
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

test.each(keys)('the key of $uri', ({ seed, publicKey, hotkey }) => {
  expect(account(hexToBytes(seed)).hotkey).toBe(hotkey)
  expect(encodeAddress(hexToBytes(publicKey))).toBe(hotkey)
})

test.each(addresses)('address: $what', ({ input, want }) => {
  const key = decodeAddress(input)
  expect(key && bytesToHex(key)).toBe(want)
})

test.each(signatures)('signature: $what', ({ message, signature, hotkey, want }) => {
  expect(verify(hexToBytes(message), hexToBytes(signature), hotkey)).toBe(want)
})

test('signatures are deterministic: the one in the vectors is made again', () => {
  const { message, signature } = signatures[1]!
  expect(bytesToHex(alice.sign(hexToBytes(message)))).toBe(signature)
})

test('what is signed verifies; with any bit flipped, it does not', () => {
  fc.assert(
    fc.property(bytes(32), fc.uint8Array({ minLength: 1 }), fc.nat(), (seed, message, at) => {
      const signer = account(seed)
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

test('a signature over the message in <Bytes>, as polkadot.js wraps it, is none of the message', () => {
  for (const text of ['', 'hello', '<Bytes>hello</Bytes>']) {
    const [message, wrapped] = [utf8ToBytes(text), utf8ToBytes(`<Bytes>${text}</Bytes>`)]
    expect(verify(message, alice.sign(wrapped), alice.hotkey)).toBe(false)
    expect(verify(wrapped, alice.sign(message), alice.hotkey)).toBe(false)
    expect(verify(wrapped, alice.sign(wrapped), alice.hotkey)).toBe(true)
  }
})

test('a signature has 64 bytes, a point, a scalar below the order, and the marker', () => {
  const message = Uint8Array.of(1, 2, 3)
  const signature = alice.sign(message)
  const valid = (bytes: Uint8Array) => verify(message, bytes, alice.hotkey)
  const [point, scalar] = [signature.slice(0, 32), signature.slice(32)]
  const marked = (scalar: bigint) => {
    const bytes = numberToBytesLE(scalar, 32)
    bytes[31]! |= 0x80
    return bytes
  }
  const value = bytesToNumberLE(scalar) - (1n << 255n)
  expect(marked(value)).toEqual(scalar)
  expect(valid(signature)).toBe(true)
  for (let length = 0; length <= 130; length++) {
    const bytes = new Uint8Array(length)
    bytes.set(signature.subarray(0, length))
    expect([length, valid(bytes), valid(new Uint8Array(length))]).toEqual([
      length,
      length === 64,
      false,
    ])
  }
  expect(valid(concatBytes(point, numberToBytesLE(value, 32)))).toBe(false)
  const { ORDER } = ristretto255.Point.Fn
  for (let scalar = value + ORDER; scalar < 1n << 255n; scalar += ORDER)
    expect(valid(concatBytes(point, marked(scalar)))).toBe(false)
  const p = 2n ** 255n - 19n
  for (const x of [
    0n,
    1n,
    p - 1n,
    p,
    p + 1n,
    2n ** 255n - 1n,
    p - bytesToNumberLE(point),
    2n ** 256n - 1n,
  ])
    expect(valid(concatBytes(numberToBytesLE(x, 32), scalar))).toBe(false)
})

test('a key may come expanded', () => {
  fc.assert(
    fc.property(bytes(32), fc.uint8Array(), (seed, message) => {
      const [signer, same] = [account(seed), account(secretFromSeed(seed))]
      expect(same.hotkey).toBe(signer.hotkey)
      expect(same.sign(message)).toEqual(signer.sign(message))
    }),
    { numRuns: 5 },
  )
})

test('what becomes of the seed afterwards does not matter', () => {
  for (const seed of [hexToBytes(keys[0]!.seed), secretFromSeed(hexToBytes(keys[0]!.seed))]) {
    const signer = account(seed)
    seed.fill(1)
    expect(signer.sign(utf8ToBytes('weights'))).toEqual(alice.sign(utf8ToBytes('weights')))
  }
})

test('verify and decodeAddress never throw', () => {
  const anything = fc.anything() as fc.Arbitrary<never>
  const hotkey = fc.oneof(
    fc.string(),
    fc.constant(alice.hotkey),
    bytes(32).map(encodeAddress),
    anything,
  )
  const signature = fc.oneof(fc.uint8Array({ maxLength: 80 }), bytes(64), anything)
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array(), anything),
      signature,
      hotkey,
      (message, signature, hotkey) => {
        expect(verify(message, signature, hotkey)).toBe(false)
        const key = decodeAddress(hotkey)
        expect(key === null || encodeAddress(key) === hotkey).toBe(true)
      },
    ),
  )
})

test('wrong lengths are the caller’s mistake', () => {
  expect(() => account(new Uint8Array(31))).toThrow(
    '"seed" expected 32 bytes, or 64 of a secret key, got 31',
  )
  expect(() => account(new Uint8Array(96))).toThrow(
    '"seed" expected 32 bytes, or 64 of a secret key, got 96',
  )
  expect(() => account(new Uint8Array(64))).toThrow(RangeError)
  expect(() => account(new Uint8Array(64).fill(255))).toThrow(RangeError)
  expect(() => encodeAddress(new Uint8Array(33))).toThrow('"publicKey" expected 32 bytes, got 33')
})
