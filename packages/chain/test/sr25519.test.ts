import * as plain from '@scure/sr25519'
import { beforeEach, expect, test, vi } from 'vitest'
import vectors from '../../../vectors/chain/accounts.json' with { type: 'json' }

vi.mock('@scure/sr25519', async (original) => {
  const all = await original<typeof import('@scure/sr25519')>()
  return { ...all, verify: vi.fn(all.verify) }
})

const instantiate = vi.spyOn(WebAssembly, 'instantiate')

beforeEach(() => {
  vi.resetModules()
  instantiate.mockClear()
})

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
  const { verify, verifyReady } = await load()
  const { message, signature, hotkey } = vectors.signatures[0]!
  const verifyOne = () => verify(bytesOf(message), bytesOf(signature), hotkey)
  verifyOne()
  await expect.poll(() => instantiate).toHaveBeenCalledTimes(1)
  await Promise.all([verifyReady(), verifyReady()])
  verifyOne()
  expect(instantiate).toHaveBeenCalledTimes(1)
})

test('continues in plain JavaScript if WebAssembly does not load', async () => {
  instantiate.mockRejectedValueOnce(new Error('refused by the policy of the page'))
  vi.mocked(plain.verify).mockClear()
  await verifyVectors()
  expect(plain.verify).toHaveBeenCalled()
})

test('frees the WebAssembly memory of each verification', async () => {
  const { account, verify, verifyReady } = await load()
  await verifyReady()
  const { instance }: WebAssembly.WebAssemblyInstantiatedSource =
    await instantiate.mock.results[0]!.value
  const memory = instance.exports.memory as WebAssembly.Memory
  const { hotkey, sign } = account(new Uint8Array(32))
  const message = new Uint8Array(2 ** 20)
  const signature = sign(message)
  const sizes = Array.from({ length: 20 }, () => {
    expect(verify(message, signature, hotkey)).toBe(true)
    expect(verify(message.subarray(1), signature, hotkey)).toBe(false)
    return memory.buffer.byteLength
  })
  expect(new Set(sizes).size).toBe(1)
})
