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

/** Resolves with `verify` for a key when it uses WebAssembly. */
async function loadCompiled() {
  const { encodeAddress, verify, verifyReady } = await load()
  await verifyReady()
  return (message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean => {
    const before = vi.mocked(plain.verify).mock.calls.length
    const isValid = verify(message, signature, encodeAddress(key))
    expect(vi.mocked(plain.verify).mock.calls.length).toBe(before)
    return isValid
  }
}

test('verifies the vectors in WebAssembly', async () => {
  const verify = await loadCompiled()
  const { decodeAddress } = await load()
  for (const { message, signature, hotkey, want } of vectors.signatures) {
    const publicKey = decodeAddress(hotkey)
    if (publicKey === null) continue
    const bytes = [message, signature].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')))
    expect([hotkey, verify(bytes[0]!, bytes[1]!, publicKey)]).toEqual([hotkey, want])
  }
})

test('loads WebAssembly at the first verification, and only once', async () => {
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

test('continues in plain JavaScript if WebAssembly does not load', async () => {
  const notStarted = { waitReady: async () => false, sr25519Verify: () => false }
  vi.doMock('@polkadot/wasm-crypto', () => notStarted)
  const { encodeAddress, verify, verifyReady } = await load()
  await verifyReady()
  const hotkey = encodeAddress(key)
  for (let i = 0; i < 3; i++) {
    expect(verify(message, signature, hotkey)).toBe(true)
    expect(verify(signature, signature, hotkey)).toBe(false)
  }
  for (const { message, signature, hotkey, want } of vectors.signatures) {
    const [messageBytes, signatureBytes] = [message, signature].map((hex) =>
      Uint8Array.from(Buffer.from(hex, 'hex')),
    )
    expect([hotkey, verify(messageBytes!, signatureBytes!, hotkey)]).toEqual([hotkey, want])
  }
  vi.doUnmock('@polkadot/wasm-crypto')
})
