import { blake3 } from '@affine/prng'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import published from '../../../vectors/blocks/inclusion-sha256.json' with { type: 'json' }
import vectors from '../../../vectors/blocks/merkle-blake3.json' with { type: 'json' }
import { computeMerkleRoot, proveInclusion, verifyInclusion } from '../src/index.ts'

vi.mock('@affine/prng', async (original) => {
  const prng = await original<typeof import('@affine/prng')>()
  return { ...prng, blake3: vi.fn(prng.blake3) }
})

describe('published inclusion proofs', () => {
  // The vectors have the hashes of leaves, not the leaves. So here the hash of a leaf is the leaf,
  // and nodes use SHA-256.
  const hash: typeof blake3 = (...parts) => {
    const [tag, ...bytes] = concatBytes(...parts)
    return tag === 0 ? Uint8Array.from(bytes) : sha256(concatBytes(...parts))
  }
  beforeAll(() => void vi.mocked(blake3).mockImplementation(hash))
  afterAll(() => void vi.mocked(blake3).mockReset())

  it.each(published.proofs)('are judged: $what', ({ input, want }) => {
    const { index, size } = input
    const bytes = {
      leaf: hexToBytes(input.leafHash),
      proof: input.proof.map(hexToBytes),
      root: hexToBytes(input.root),
    }
    expect(verifyInclusion({ ...bytes, index, size })).toBe(want)
  })
})

describe('vectors', () => {
  it.each(vectors.roots)('give the root of $what', ({ input, want }) => {
    expect(bytesToHex(computeMerkleRoot(input.map(utf8ToBytes)))).toBe(want)
  })

  it.each(vectors.proofs)('give the verdict on a proof: $what', ({ input, want }) => {
    const { leaf, index, size, proof, root } = input
    const bytes = { leaf: utf8ToBytes(leaf), proof: proof.map(hexToBytes), root: hexToBytes(root) }
    expect(verifyInclusion({ ...bytes, index, size })).toBe(want)
    if (!want) return
    const lines = Array.from({ length: size }, (_, i) => utf8ToBytes(`line ${i} of ${size}`))
    expect(proveInclusion(lines, index).map(bytesToHex)).toEqual(proof)
  })
})

// The lines differ, because equal lines may have equal paths.
const someLines = fc
  .uniqueArray(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 40 })
  .map((lines) => lines.map(utf8ToBytes))
const place = fc.nat({ max: 60 })

it('proves every line of any tree, but not for another index or too small a size', () => {
  fc.assert(
    fc.property(someLines, fc.nat(), place, place, (lines, at, index, size) => {
      const own = at % lines.length
      const proof = proveInclusion(lines, own)
      const root = computeMerkleRoot(lines)
      const isProved = (place: { readonly index: number; readonly size: number }) =>
        verifyInclusion({ leaf: lines[own]!, proof, root, ...place })
      expect(isProved({ index: own, size: lines.length })).toBe(true)
      if (index !== own) expect(isProved({ index, size: lines.length })).toBe(false)
      if (size <= own) expect(isProved({ index: own, size })).toBe(false)
    }),
  )
})

it.each([-1, 3, 0.5, Number.NaN])('throws for index %d of 3', (index) => {
  expect(() => proveInclusion(['a', 'b', 'c'].map(utf8ToBytes), index)).toThrow(
    /^"index" expected 0..2, got/,
  )
})
