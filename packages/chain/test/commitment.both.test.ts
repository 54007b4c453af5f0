import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/chain/commitments.json' with { type: 'json' }
import { type Commitment, decodeCommitment, encodeCommitment } from '../src/index.ts'
import { commitment, hotkey } from './any-commitment.ts'

test.each(vectors.cases)('decodes the fields of a slot: $what', ({ input, want }) => {
  const fields = input.fields.map((field) => hexToBytes(field))
  const got = decodeCommitment(fields, input.hotkey)
  expect(got && 'bitmap' in got ? { ...got, bitmap: bytesToHex(got.bitmap) } : got).toEqual(want)
  if (got) expect(encodeCommitment(got)).toEqual(fields)
})

test('decodes the encoded commitment', () => {
  fc.assert(
    fc.property(commitment, (commitment) => {
      const fields = encodeCommitment(commitment)
      expect(fields.length <= 3 && fields.every(({ length }) => length <= 128)).toBe(true)
      expect(decodeCommitment(fields, hotkey)).toEqual(commitment)
    }),
  )
})

const HASH = '01'.repeat(32)
const seal = { kind: 'seal', epoch: 258, head: HASH, url: 'x' } as const
const hashes = { next: HASH, stateRoot: '02'.repeat(32) }
const bitmap = new Uint8Array(16).fill(7)
const attest = { kind: 'attest', epoch: 258, bitmap, ...hashes, url: 'x' } as const

test('reads a payload in the middle of a larger buffer, and copies the bytes', () => {
  const [body, url] = encodeCommitment(attest)
  const buffer = new Uint8Array(100)
  buffer.set(body!, 5)
  const got = decodeCommitment([buffer.subarray(5, 91), url!], hotkey)
  buffer.fill(0)
  expect(got).toEqual(attest)
})

const miner = { kind: 'miner', model: hotkey, revision: 'r', chute: 'c' } as const
test.each<[Commitment, string | RegExp]>([
  [{ ...seal, epoch: -1 }, '"epoch" expected 0..4294967295, got -1'],
  [{ ...seal, epoch: 2 ** 32 }, '"epoch" expected'],
  [{ ...seal, epoch: 1.5 }, '"epoch" expected'],
  [{ ...seal, head: '00' }, '"head" expected 64 lower-case hex digits, got 00'],
  [{ ...seal, head: 'AB'.repeat(32) }, '"head" expected'],
  [{ ...seal, url: '' }, /^"url" expected 1\.\.128 .* got 0$/],
  [{ ...seal, url: 'é'.repeat(65) }, /^"url" expected 1\.\.128 .* got 130$/],
  [{ ...seal, url: '\ud800' }, /^"url" expected .* without lone surrogates, got 3$/],
  [{ ...attest, bitmap: new Uint8Array(15) }, '"bitmap" expected 16 bytes, got 15'],
  [{ ...attest, next: '' }, '"next" expected'],
  [{ ...attest, stateRoot: 'z'.repeat(64) }, '"stateRoot" expected'],
  [{ ...miner, model: 'm'.repeat(129) }, '"model" expected'],
  [{ ...miner, revision: '' }, '"revision" expected'],
  [{ ...miner, chute: '\udc00' }, '"chute" expected'],
])('refuses to encode %o', (commitment, message) => {
  expect(() => encodeCommitment(commitment)).toThrow(message)
  expect(() => encodeCommitment(commitment)).toThrow(RangeError)
})
