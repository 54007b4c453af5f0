import * as plain from '@scure/sr25519'
import { beforeEach, expect, test, vi } from 'vitest'
import vectors from '../../../vectors/chain/accounts.json' with { type: 'json' }

vi.mock('@scure/sr25519', async (original) => {
  const all = await original<typeof import('@scure/sr25519')>()
  return { ...all, verify: vi.fn(all.verify) }
})

beforeEach(() => void vi.resetModules())

const load = () => import('../src/account.ts')

/** Verifies the vectors when loading the WebAssembly has ended. */
async function verifyVectors(): Promise<void> {
  const { verify, verifyReady } = await load()
  await verifyReady()
  for (const { message, signature, hotkey, want } of vectors.signatures)
    expect([hotkey, verify(bytesOf(message), bytesOf(signature), hotkey)]).toEqual([hotkey, want])
}
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

test('verifies the vectors in WebAssembly', async () => {
  vi.mocked(plain.verify).mockClear()
  await verifyVectors()
  expect(plain.verify).not.toHaveBeenCalled()
})

test('loads WebAssembly at the first verification, and only once', async () => {
  const waitReady = vi.fn(async () => false)
  vi.doMock('@polkadot/wasm-crypto', () => ({ waitReady, sr25519Verify: () => false }))
  const { verify, verifyReady } = await load()
  const { message, signature, hotkey } = vectors.signatures[0]!
  const verifyOne = () => verify(bytesOf(message), bytesOf(signature), hotkey)
  verifyOne()
  await expect.poll(() => waitReady).toHaveBeenCalledTimes(1)
  await Promise.all([verifyReady(), verifyReady()])
  verifyOne()
  expect(waitReady).toHaveBeenCalledTimes(1)
  vi.doUnmock('@polkadot/wasm-crypto')
})

test('continues in plain JavaScript if WebAssembly does not load', async () => {
  const notStarted = { waitReady: async () => false, sr25519Verify: () => false }
  vi.doMock('@polkadot/wasm-crypto', () => notStarted)
  await verifyVectors()
  vi.doUnmock('@polkadot/wasm-crypto')
})
