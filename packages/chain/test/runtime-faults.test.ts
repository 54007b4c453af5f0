import { expandMetadata } from '@polkadot/types'
import substrateV14 from '@polkadot/types-support/metadata/v14/substrate-hex'
import substrateV16 from '@polkadot/types-support/metadata/v16/substrate-hex'
import { hexToU8a } from '@polkadot/util'
import { describe, expect, test } from 'vitest'
import { runtimeFaults, STORAGE } from '../src/bittensor/runtime-faults.ts'
import { ALL_CALLS, metadataOf } from './made-metadata.ts'
import { readMetadata } from './read-metadata.ts'

function faultsIn(hex: `0x${string}`): readonly string[] {
  const metadata = readMetadata(hexToU8a(hex))
  return runtimeFaults(expandMetadata(metadata.registry, metadata))
}

/** Returns the faults of a runtime that has all items except these. */
const faultsWithout = (...missing: readonly string[]) =>
  faultsIn(metadataOf([...STORAGE, ...ALL_CALLS].filter((name) => !missing.includes(name))))

const [SUBNET, NEWER, OLDER] = [
  'subtensorModule',
  'subtensorModule.commitTimelockedWeights',
  'subtensorModule.commitCrv3Weights',
]

describe('the faults of a runtime', () => {
  test('are none if the runtime has all storage, and one call for timelocked weights', () => {
    for (const missing of [[], [NEWER], [OLDER]]) expect(faultsWithout(...missing)).toEqual([])
  })

  test.each([
    [`${SUBNET}.weights`],
    ['timestamp.now'], // the only item of its pallet
    [`${SUBNET}.setWeights`],
    [NEWER, OLDER],
  ])('name a missing item: %s', (name, ...others) => {
    expect(faultsWithout(name, ...others)).toEqual([`there is no ${name}`])
  })

  test.each([
    ['V14', substrateV14],
    ['V16', substrateV16],
  ])("name missing calls of another chain's %s in printable ASCII", (_, hex) => {
    const faults = faultsIn(hex)
    expect(faults).toContainEqual(expect.stringContaining(` ${SUBNET}.setWeights`))
    for (const fault of faults) expect(fault).toMatch(/^[\x20-\x7e]{1,300}$/)
  })
})
