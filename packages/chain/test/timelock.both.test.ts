import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/chain/timelock.json' with { type: 'json' }
import { computeDrandRound, timelockEncrypt } from '../src/bittensor/timelock.ts'

const { G1, G2, fields } = bls12_381
const { input } = vectors.cases[0]!
const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
const secrets = fc.tuple(bytes(32), bytes(32), bytes(12))

/** Returns a `random` that returns these parts in order, and checks the requested sizes. */
const handOut = (parts: readonly Uint8Array[]) => {
  const left = [...parts]
  return (size: number) => {
    const part = left.shift()!
    expect(size).toBe(part.length)
    return part
  }
}

/** Decrypts with the signature of the round. Rejects if any part does not match. */
async function decrypt(sealed: Uint8Array, signature: string): Promise<Uint8Array> {
  const view = new DataView(sealed.buffer, sealed.byteOffset)
  let at = 0
  const take = (size: number) => {
    at += size
    return sealed.slice(at - size, at)
  }
  const size = () => {
    take(8)
    return Number(view.getBigUint64(at - 8, true))
  }
  const read = () => take(size())
  const u = G2.Point.fromBytes(take(96))
  const [v, w] = [read(), read()]
  expect(size()).toBe(sealed.length - at - 16)
  const [body, nonce, suite] = [read(), read(), read()]
  expect([v.length, w.length, nonce.length, at]).toEqual([32, 32, 12, sealed.length])
  expect(new TextDecoder().decode(suite)).toBe('AES_GCM_')
  const { c0, c1 } = bls12_381.pairing(G1.Point.fromHex(signature), u)
  const limbs = [c0, c1]
    .flatMap((six) => [six.c0, six.c1, six.c2])
    .flatMap((two) => [two.c0, two.c1])
  const mask = sha256(concatBytes(...limbs.map((limb) => fields.Fp.toBytes(limb).reverse())))
  const sigma = v.map((byte, i) => byte ^ mask[i]!)
  const pad = sha256(sigma)
  const key = w.map((byte, i) => byte ^ pad[i]!)
  const r = BigInt(`0x${bytesToHex(sha256(concatBytes(sigma, key)))}`) % fields.Fr.ORDER
  if (!G2.Point.BASE.multiply(r).equals(u)) throw new Error('not for this signature')
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce }, aes, body))
}

test.each(vectors.cases)(
  'returns the ciphertext that the runtime decrypted: $what',
  async ({ input, want }) => {
    const parts = [input.sigma, input.esk, input.nonce].map((part) => hexToBytes(part))
    const sealed = await timelockEncrypt(hexToBytes(input.plaintext), input.round, handOut(parts))
    expect(bytesToHex(sealed)).toBe(want)
    expect(bytesToHex(await decrypt(hexToBytes(want), input.signature))).toBe(input.plaintext)
  },
)

test('encrypts any text so that the signature decrypts it', async () => {
  const plaintext = fc.oneof(fc.uint8Array({ maxLength: 300 }), bytes(4756), bytes(0))
  await fc.assert(
    fc.asyncProperty(plaintext, secrets, async (plaintext, parts) => {
      const sealed = await timelockEncrypt(plaintext, input.round, handOut(parts))
      expect(sealed.length).toBe(plaintext.length + 244)
      expect(await decrypt(sealed, input.signature)).toEqual(plaintext)
    }),
    { numRuns: 10 },
  )
})

test('copies a buffer that `random` reuses', async () => {
  const shared = new Uint8Array(32)
  let count = 0
  const reused = await timelockEncrypt(Uint8Array.of(1), 1000, (size) =>
    shared.fill(++count).subarray(0, size),
  )
  const parts = [32, 32, 12].map((size, i) => new Uint8Array(size).fill(i + 1))
  expect(reused).toEqual(await timelockEncrypt(Uint8Array.of(1), 1000, handOut(parts)))
})

const notANumber = { what: 'NaN', input: Number.NaN, want: null }
test.each([...vectors.rounds, notANumber])(
  'computes a round, or refuses the time: $what',
  ({ input, want }) => {
    if (want === null) expect(() => computeDrandRound(input)).toThrow(RangeError)
    else expect(computeDrandRound(input)).toBe(want)
  },
)
