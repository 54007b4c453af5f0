import substrateV14 from '@polkadot/types-support/metadata/v14/substrate-hex'
import substrateV16 from '@polkadot/types-support/metadata/v16/substrate-hex'
import { hexToU8a } from '@polkadot/util'
import { describe, expect, test } from 'vitest'
import { CALLS, METHODS, runtimeFaults, STORAGE } from '../src/bittensor/runtime-faults.ts'
import { metadataOf } from './made-metadata.ts'
import { readMetadata } from './read-metadata.ts'

/** Returns the faults of a runtime that has all items except these. */
function faultsWithout(missing: readonly string[], version: 14 | 15 | 16 = 16): readonly string[] {
  const names = [...STORAGE, ...CALLS, ...METHODS].filter((name) => !missing.includes(name))
  return runtimeFaults(readMetadata(hexToU8a(metadataOf(names, version))))
}

const SUBNET = 'subtensorModule'

describe('the faults of a runtime', () => {
  test.each([14, 15, 16] as const)('are none if the runtime is complete, in V%i', (version) => {
    expect(faultsWithout([], version)).toEqual([])
  })

  test.each([
    ['storage', `${SUBNET}.weights`],
    ['storage', 'timestamp.now'], // the only item of its pallet
    ['call', `${SUBNET}.setWeights`],
    ['runtime API', 'subnetInfoRuntimeApi.getSelectiveMetagraph'],
    ['storage', `${SUBNET}.commitRevealWeightsVersion`],
  ])('name a missing item: %s %s', (kind, name) => {
    expect(faultsWithout([name])).toEqual([`there is no ${kind} ${name}`])
  })

  test.each([
    [[`${SUBNET}.commitCrv3Weights`]],
    [[`${SUBNET}.commitTimelockedWeights`, `${SUBNET}.commitRevealWeightsVersion`]],
    [[`${SUBNET}.subnetEpochIndex`, 'subnetInfoRuntimeApi.getNextEpochStartBlock']],
    [[`${SUBNET}.subnetEpochIndex`]],
  ])('do not include names with an alternative: %j', (missing) => {
    expect(faultsWithout(missing)).toEqual([])
  })
})

test.each([
  ['V14', substrateV14],
  ['V16', substrateV16],
])("reports missing calls of another chain's %s in printable ASCII", (_, hex) => {
  const faults = runtimeFaults(readMetadata(hexToU8a(hex)))
  expect(faults).toContainEqual(expect.stringContaining(` ${SUBNET}.setWeights`))
  for (const fault of faults) expect(fault).toMatch(/^[\x20-\x7e]{1,300}$/)
})
