import { ristretto255 } from '@noble/curves/ed25519.js'
import * as plain from '@scure/sr25519'
import { beforeEach, expect, test, vi } from 'vitest'
import vectors from '../../../vectors/chain/accounts.json' with { type: 'json' }

vi.mock('@scure/sr25519', async (original) => {
  const all = await original<typeof import('@scure/sr25519')>()
  return { ...all, verify: vi.fn(all.verify) }
})

beforeEach(() => void vi.resetModules())

const load = () => import('../src/account.ts')
const secret = plain.secretFromSeed(new Uint8Array(32).fill(3))
const key = plain.getPublicKey(secret)
const message = new Uint8Array(32).fill(9)
const signature = plain.sign(secret, message)

/** `verify`, by a key, once plain JavaScript is asked no more. */
async function compiled() {
  const { encodeAddress, verify, verifyReady } = await load()
  await verifyReady()
  return (message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean => {
    const before = vi.mocked(plain.verify).mock.calls.length
    const isValid = verify(message, signature, encodeAddress(key))
    expect(vi.mocked(plain.verify).mock.calls.length).toBe(before)
    return isValid
  }
}

function inPlainJavaScript(...asked: Parameters<typeof plain.verify>): boolean {
  try {
    return plain.verify(...asked)
  } catch {
    return false
  }
}

const IDENTITY = new Uint8Array(32)
/** Valid for the identity under any message: R = 0, s = 0. */
const ANYBODYS = Uint8Array.from({ length: 64 }, (_, i) => (i === 63 ? 128 : 0))
const flipped = (bytes: Uint8Array, bit: number): Uint8Array =>
  Uint8Array.from(bytes, (byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
const order = ristretto255.Point.Fn.ORDER
const withScalar = (scalar: bigint): Uint8Array => {
  const bytes = Uint8Array.from(signature)
  for (let i = 32, rest = scalar; i < 64; i++, rest >>= 8n) bytes[i] = Number(rest & 255n)
  bytes[63]! |= 128
  return bytes
}

const cases: Record<string, Parameters<typeof plain.verify>> = {
  right: [message, signature, key],
  'of another message': [new Uint8Array(32), signature, key],
  'the identity as a key': [message, ANYBODYS, IDENTITY],
  'the identity as a key, another signature': [message, signature, IDENTITY],
  'R = 0, s = 0': [message, ANYBODYS, key],
  's = 0': [message, withScalar(0n), key],
  's = the order': [message, withScalar(order), key],
  's past the order': [message, withScalar(order + 7n), key],
  'no marker': [message, flipped(signature, 511), key],
  'a key that is no point': [message, signature, new Uint8Array(32).fill(255)],
  'a signature of 63 bytes': [message, signature.subarray(1), key],
  'a signature of 65 bytes': [message, Uint8Array.of(...signature, 0), key],
  'no signature': [message, new Uint8Array(), key],
  'no message': [new Uint8Array(), plain.sign(secret, new Uint8Array()), key],
}

test.each(Object.entries(cases))(
  'WebAssembly says what plain JavaScript says: %s',
  async (name, asked) => {
    const expected = inPlainJavaScript(...asked)
    expect(expected).toBe(['right', 'no message'].includes(name))
    expect((await compiled())(...asked)).toBe(expected)
  },
)

test('of every flipped bit too', async () => {
  const verify = await compiled()
  for (let bit = 0; bit < 512; bit += 5) {
    const asked = [message, flipped(signature, bit), key] as const
    expect([bit, verify(...asked)]).toEqual([bit, inPlainJavaScript(...asked)])
  }
  for (let bit = 0; bit < 256; bit += 5)
    expect([bit, verify(message, signature, flipped(key, bit))]).toEqual([bit, false])
})

test('and of the vectors', async () => {
  const verify = await compiled()
  const { decodeAddress } = await load()
  for (const { message, signature, hotkey, want } of vectors.signatures) {
    const publicKey = decodeAddress(hotkey)
    if (publicKey === null) continue
    const bytes = [message, signature].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')))
    expect([hotkey, verify(bytes[0]!, bytes[1]!, publicKey)]).toEqual([hotkey, want])
  }
})

test('the first signature starts WebAssembly, for all that wait for it', async () => {
  const waitReady = vi.fn(async () => false)
  vi.doMock('@polkadot/wasm-crypto', () => ({ waitReady, sr25519Verify: () => false }))
  const { encodeAddress, verify, verifyReady } = await load()
  verify(message, signature, encodeAddress(key))
  await expect.poll(() => waitReady).toHaveBeenCalledTimes(1)
  await Promise.all([verifyReady(), verifyReady()])
  verify(message, signature, encodeAddress(key))
  expect(waitReady).toHaveBeenCalledTimes(1)
  vi.doUnmock('@polkadot/wasm-crypto')
})

test('plain JavaScript goes on where WebAssembly does not start', async () => {
  const notStarted = { waitReady: async () => false, sr25519Verify: () => false }
  vi.doMock('@polkadot/wasm-crypto', () => notStarted)
  const { encodeAddress, verify, verifyReady } = await load()
  await verifyReady()
  const hotkey = encodeAddress(key)
  for (let i = 0; i < 3; i++) {
    expect(verify(message, signature, hotkey)).toBe(true)
    expect(verify(message, flipped(signature, 9), hotkey)).toBe(false)
  }
  vi.doUnmock('@polkadot/wasm-crypto')
})
