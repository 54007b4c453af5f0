import { bytesToHex } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import vectors from '../../../vectors/chain/timelock-payload.json' with { type: 'json' }
import { timelockPayload } from '../src/bittensor/weight-calls.ts'
import type { UidWeights } from '../src/chain.ts'

const pairs = (weights: readonly (readonly number[])[]): UidWeights =>
  weights.map(([uid, weight]) => [uid!, weight!])

test.each(vectors.cases)('encodes a payload: $what', ({ input, want }) => {
  const { weights, versionKey, ...signer } = input
  const payload = timelockPayload({
    ...signer,
    weights: pairs(weights),
    versionKey: BigInt(versionKey),
  })
  expect(bytesToHex(payload)).toBe(want)
})

test.each([
  { hotkey: 'nobody', weights: [], versionKey: 0n },
  { weights: [[65_536, 0]], versionKey: 0n } as const,
  { weights: [[0, -1]], versionKey: 0n } as const,
  { weights: [[0, Number.NaN]], versionKey: 0n } as const,
  { weights: [], versionKey: 2n ** 64n },
])('rejects a payload that does not fit: %o', (payload) => {
  expect(() => timelockPayload(payload)).toThrow()
})
