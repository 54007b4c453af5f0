import { TypeRegistry } from '@polkadot/types'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timelockPayload } from '../src/bittensor/timelock.ts'
import { decodeAddress, encodeAddress } from '../src/index.ts'

test('payloads are SCALE as @polkadot encodes it', () => {
  const registry = new TypeRegistry()
  const plain = { uids: 'Vec<u16>', values: 'Vec<u16>', version_key: 'u64' }
  registry.register({ Plain: plain, Signed: { hotkey: 'Vec<u8>', ...plain } })
  const u16 = fc.integer({ min: 0, max: 65_535 })
  const weights = fc.array(fc.tuple(u16, u16), { maxLength: 300, size: 'max' })
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(
      key,
      weights,
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      (key, weights, versionKey) => {
        const hotkey = encodeAddress(key)
        const [uids, values] = [weights.map(([uid]) => uid), weights.map(([, weight]) => weight)]
        const want = { uids, values, version_key: versionKey }
        const signed = { hotkey: [...decodeAddress(hotkey)!], ...want }
        expect(timelockPayload({ weights, versionKey })).toEqual(
          registry.createType('Plain', want).toU8a(),
        )
        expect(timelockPayload({ hotkey, weights, versionKey })).toEqual(
          registry.createType('Signed', signed).toU8a(),
        )
      },
    ),
  )
})
