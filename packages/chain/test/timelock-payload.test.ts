import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/chain/timelock-payload.json' with { type: 'json' }
import { timelockPayload } from '../src/bittensor/weight-calls.ts'
import type { UidWeights } from '../src/chain.ts'
import { encodeAddress } from '../src/index.ts'

const pairs = (weights: readonly (readonly number[])[]): UidWeights =>
  weights.map(([uid, weight]) => [uid!, weight!])
const u16 = fc.integer({ min: 0, max: 65_535 })
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const hotkey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeAddress)
const weights = fc.array(fc.tuple(u16, u16), { maxLength: 200 })

test.each(vectors.cases)('payload: $what', ({ input, want }) => {
  const { weights, versionKey, ...signer } = input
  const payload = timelockPayload({
    ...signer,
    weights: pairs(weights),
    versionKey: BigInt(versionKey),
  })
  expect(bytesToHex(payload)).toBe(want)
})

/**
 * Reads a payload with or without a hotkey; fails where a length takes more bytes than it has to.
 */
function read(payload: Uint8Array, signed: boolean) {
  const view = new DataView(payload.buffer, payload.byteOffset)
  let at = 0
  const take = (size: number) => {
    at += size
    return at - size
  }
  const size = () => {
    const mode = payload[at]! & 3
    const value =
      [() => payload[at]!, () => view.getUint16(at, true), () => view.getUint32(at, true)][
        mode
      ]!() >>> 2
    expect(value).toBeGreaterThanOrEqual([0, 64, 16_384][mode]!)
    take(2 ** mode)
    return value
  }
  const numbers = () => Array.from({ length: size() }, () => view.getUint16(take(2), true))
  const hotkey = signed ? encodeAddress(payload.slice(take(size()), at)) : undefined
  const [uids, values, versionKey] = [numbers(), numbers(), view.getBigUint64(take(8), true)]
  expect([values.length, at]).toEqual([uids.length, payload.length])
  return {
    ...(hotkey && { hotkey }),
    weights: uids.map((uid, i) => [uid, values[i]!] as const),
    versionKey,
  }
}

test('a payload reads back', () => {
  const signer = fc.oneof(
    fc.constant({}),
    hotkey.map((hotkey) => ({ hotkey })),
  )
  fc.assert(
    fc.property(signer, weights, u64, (signer, weights, versionKey) => {
      const payload = timelockPayload({ ...signer, weights, versionKey })
      expect(read(payload, 'hotkey' in signer)).toEqual({ ...signer, weights, versionKey })
    }),
  )
})

test.each([0, 1, 63, 64, 16_383, 16_384, 65_535])('%i weights read back', (size) => {
  const weights = Array.from({ length: size }, (_, i) => [i, size] as const)
  expect(read(timelockPayload({ weights, versionKey: 1n }), false).weights).toEqual(weights)
})

test.each([
  { hotkey: 'nobody', weights: [], versionKey: 0n },
  { weights: [[65_536, 0]], versionKey: 0n } as const,
  { weights: [[0, -1]], versionKey: 0n } as const,
  { weights: [[0, Number.NaN]], versionKey: 0n } as const,
  { weights: [], versionKey: 2n ** 64n },
])('a payload of what does not fit is refused: %o', (asked) => {
  expect(() => timelockPayload(asked)).toThrow()
})
