import type { Json } from '@affine/prng'
import { blake3 as plain } from '@noble/hashes/blake3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import vectors from '../../../vectors/prng/digest.json' with { type: 'json' }

vi.mock('@noble/hashes/blake3.js', async (original) => {
  const { blake3 } = await original<typeof import('@noble/hashes/blake3.js')>()
  return { blake3: vi.fn(blake3) }
})

const COMPILED = 'hash-wasm/dist/blake3.umd.min.js'

beforeEach(() => void vi.resetModules())
afterEach(() => void vi.doUnmock(COMPILED))

const load = () => import('../src/index.ts')
const timesPlain = () => vi.mocked(plain).mock.calls.length

/** Resolves with the functions of @affine/prng when WebAssembly runs. */
async function loadCompiled() {
  const { blake3Ready, ...prng } = await load()
  await blake3Ready()
  return prng
}

test('computes in WebAssembly the bytes of plain JavaScript, for one or several parts', async () => {
  const { blake3 } = await loadCompiled()
  const long = fc.uint8Array({ minLength: 900, maxLength: 20_000, size: 'max' })
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.uint8Array(), long), { maxLength: 4 }), (parts) => {
      const before = timesPlain()
      const got = blake3(...parts)
      expect(timesPlain()).toBe(before)
      expect(bytesToHex(got)).toBe(bytesToHex(plain(concatBytes(...parts))))
    }),
  )
})

test('computes in WebAssembly the digests of the vectors', async () => {
  const { digest, digestsAfter } = await loadCompiled()
  for (const { input, want } of vectors) {
    if (want.hash === undefined) continue
    const [tag, fields] = [input.tag as string, input.fields as Json[]]
    expect(digest(tag, ...fields)).toBe(want.hash)
    const last = fields.at(-1)
    if (last === undefined) continue
    expect(bytesToHex(digestsAfter(tag, ...fields.slice(0, -1))(last))).toBe(want.hash)
    const lastTwo = fields.slice(-2)
    expect(bytesToHex(digestsAfter(tag, ...fields.slice(0, -2))(...lastTwo))).toBe(want.hash)
  }
})

test('starts WebAssembly once, at the first hash', async () => {
  const createBLAKE3 = vi.fn(() => Promise.reject(new Error('refused')))
  vi.doMock(COMPILED, () => ({ default: { createBLAKE3 } }))
  const { blake3, blake3Ready } = await load()
  blake3(new Uint8Array())
  await expect.poll(() => createBLAKE3).toHaveBeenCalledTimes(1)
  await Promise.all([blake3Ready(), blake3Ready()])
  blake3(new Uint8Array())
  expect(createBLAKE3).toHaveBeenCalledTimes(1)
})

test('uses plain JavaScript if WebAssembly does not start', async () => {
  const createBLAKE3 = () => Promise.reject(new Error('refused'))
  vi.doMock(COMPILED, () => ({ default: { createBLAKE3 } }))
  const { blake3, blake3Ready } = await load()
  await blake3Ready()
  for (let i = 0; i < 3; i++) {
    const before = timesPlain()
    expect(bytesToHex(blake3(Uint8Array.of(i)))).toBe(bytesToHex(plain(Uint8Array.of(i))))
    expect(timesPlain()).toBe(before + 2)
  }
})
