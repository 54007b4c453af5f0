import substrateV14 from '@polkadot/types-support/metadata/v14/substrate-hex'
import substrateV16 from '@polkadot/types-support/metadata/v16/substrate-hex'
import { hexToU8a } from '@polkadot/util'
import { describe, expect, test } from 'vitest'
import { runtimeFaults } from '../src/bittensor/runtime-faults.ts'
import { type Made, metadataOf, wholeRuntime } from './made-metadata.ts'
import { readMetadata } from './read-metadata.ts'

const faultsOf = (made: Made, version: 14 | 15 | 16 = 16) =>
  runtimeFaults(readMetadata(hexToU8a(metadataOf(made, version))))

/** Returns the faults of a complete runtime after one change. */
function faultsWith(change: (made: Made) => void): readonly string[] {
  const made = wholeRuntime()
  change(made)
  return faultsOf(made)
}

const remove = (names: string[] | undefined, ...gone: readonly string[]) =>
  names?.splice(0, names.length, ...names.filter((name) => !gone.includes(name)))

const SUBNET = 'subtensorModule'
const API = 'subnetInfoRuntimeApi'

describe('the faults of a runtime', () => {
  test.each([14, 15, 16] as const)('are none if the runtime is complete, in V%i', (version) => {
    expect(faultsOf(wholeRuntime(), version)).toEqual([])
  })

  const lacks: readonly [string, (made: Made) => void][] = [
    ['storage', ({ storage }) => remove(storage[SUBNET], 'weights')],
    ['a pallet', ({ storage }) => delete storage.timestamp],
    ['a call', ({ calls }) => remove(calls[SUBNET], 'setWeights')],
    ['a runtime API', ({ apis }) => remove(apis[API], 'getSelectiveMetagraph')],
    ['a version', ({ storage }) => remove(storage[SUBNET], 'commitRevealWeightsVersion')],
  ]
  test('name each missing item', async () => {
    const lines = lacks.map(([name, change]) => {
      const faults = faultsWith(change)
      expect(faults, name).toHaveLength(1)
      return `${name}: ${faults}\n`
    })
    await expect(lines.join('')).toMatchFileSnapshot('snapshots/runtime-faults.txt')
  })

  test.each<[string, (made: Made) => void]>([
    ['one way to timelock', ({ calls }) => remove(calls[SUBNET], 'commitCrv3Weights')],
    [
      'the newer way to timelock, and its version',
      ({ calls, storage }) => {
        remove(calls[SUBNET], 'commitTimelockedWeights')
        remove(storage[SUBNET], 'commitRevealWeightsVersion')
      },
    ],
    [
      'the counting of epochs, and the start of the next epoch',
      ({ apis, storage }) => {
        remove(storage[SUBNET], 'subnetEpochIndex')
        remove(apis[API], 'getNextEpochStartBlock')
      },
    ],
    ['the counting of epochs', ({ storage }) => remove(storage[SUBNET], 'subnetEpochIndex')],
  ])('do not include a name with an alternative: %s', (_, change) => {
    expect(faultsWith(change)).toEqual([])
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
