import substrateV14 from '@polkadot/types-support/metadata/v14/substrate-hex'
import substrateV16 from '@polkadot/types-support/metadata/v16/substrate-hex'
import { hexToU8a } from '@polkadot/util'
import { describe, expect, test } from 'vitest'
import { runtimeFaults } from '../src/bittensor/runtime-faults.ts'
import { type Made, metadataOf, wholeRuntime } from './made-metadata.ts'
import { readMetadata } from './read-metadata.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const faultsOf = (made: Made, version: 14 | 15 | 16 = 16) =>
  runtimeFaults(readMetadata(hexToU8a(metadataOf(made, version))))

/** What is said of a runtime that is whole but for one change. */
function faultsWith(change: (made: Made) => void): readonly string[] {
  const made = wholeRuntime()
  change(made)
  return faultsOf(made)
}

const SUBNET = 'subtensorModule'
const API = 'subnetInfoRuntimeApi'

describe('what a runtime lacks', () => {
  test.each([14, 15, 16] as const)('is nothing where all is there, in V%i', (version) => {
    expect(faultsOf(wholeRuntime(), version)).toEqual([])
  })

  test.each<[string, (made: Made) => void, string]>([
    [
      'storage',
      ({ storage }) => delete storage[SUBNET]?.tempo,
      `there is no storage ${SUBNET}.tempo, expected (key 1: u16) of uint`,
    ],
    [
      'a pallet',
      ({ storage }) => delete storage.timestamp,
      'there is no storage timestamp.now, expected () of uint',
    ],
    [
      'a call',
      ({ calls }) => delete calls[SUBNET]?.setWeights,
      `there is no call ${SUBNET}.setWeights, expected (netuid: u16, dests: Vec<u16>, weights: Vec<u16>, versionKey: u64)`,
    ],
    [
      'an event',
      ({ events }) => delete events.system?.extrinsicFailed,
      'there is no event system.extrinsicFailed, expected () of { Module: { index: u8, error: [u8;4] } }',
    ],
    [
      'all ways to one thing',
      ({ apis }) => {
        delete apis[API]?.getSelectiveMetagraph
        delete apis[API]?.getMetagraph
      },
      `there is no runtime API ${API}.getSelectiveMetagraph, nor runtime API ${API}.getMetagraph`,
    ],
    [
      'what goes with what is there',
      ({ storage }) => delete storage[SUBNET]?.commitRevealWeightsVersion,
      `there is no storage ${SUBNET}.commitRevealWeightsVersion, which is needed with ` +
        `call ${SUBNET}.commitTimelockedWeights and call ${SUBNET}.commitTimelockedMechanismWeights`,
    ],
  ])('is told by name: %s', (_, change, fault) => {
    expect(faultsWith(change)).toEqual([fault])
  })

  test.each<[string, (made: Made) => void]>([
    ['one way to timelock', ({ calls }) => delete calls[SUBNET]?.commitCrv3Weights],
    ['the choosing of fields', ({ apis }) => delete apis[API]?.getSelectiveMetagraph],
  ])('may be what there is another way for: %s', (_, change) => {
    expect(faultsWith(change)).toEqual([])
  })
})

describe('what has another shape', () => {
  test.each<[string, (made: Made) => void, string]>([
    [
      'an argument of another type',
      ({ calls }) => Object.assign(calls[SUBNET]?.setWeights?.args ?? {}, { weights: 'Vec<u32>' }),
      `call ${SUBNET}.setWeights: "weights" expected Vec<u16>, found Vec<u32>`,
    ],
    [
      'an argument more',
      ({ calls }) => Object.assign(calls[SUBNET]?.setWeights?.args ?? {}, { mecid: 'u8' }),
      `call ${SUBNET}.setWeights: expected (netuid, dests, weights, versionKey), found (netuid, dests, weights, versionKey, mecid)`,
    ],
    [
      'a key more',
      ({ storage }) => Object.assign(storage[SUBNET]?.tempo ?? {}, { keys: ['u16', 'u8'] }),
      `storage ${SUBNET}.tempo: expected (key 1), found (key 1, key 2)`,
    ],
    [
      'a value',
      ({ storage }) => Object.assign(storage[SUBNET]?.uids ?? {}, { value: 'Bytes' }),
      `storage ${SUBNET}.uids: "value" expected u16, found Bytes`,
    ],
    [
      'a field deep inside',
      ({ storage }) =>
        Object.assign(storage.commitments?.commitmentOf ?? {}, {
          value: { block: 'u32', info: { fields: [{ Raw0: '[u8;0]' }] } },
        }),
      'storage commitments.commitmentOf: "value.info.fields[].Raw1" expected [u8;1], found nothing',
    ],
    [
      'an answer',
      ({ apis }) => Object.assign(apis[API]?.getNextEpochStartBlock ?? {}, { value: 'bool' }),
      `runtime API ${API}.getNextEpochStartBlock: "value" expected uint, found bool`,
    ],
    [
      'what a signed call holds',
      ({ extensions }) => Object.assign(extensions, { Unheard: 'u64' }),
      'signed calls hold Unheard, an unknown extension: expected Null, found u64',
    ],
  ])('is told with what is there: %s', (_, change, fault) => {
    expect(faultsWith(change)).toEqual([fault])
  })

  test('may be wider where a number is read', () => {
    const change = { value: 'u128' }
    expect(
      faultsWith(({ storage }) => Object.assign(storage[SUBNET]?.tempo ?? {}, change)),
    ).toEqual([])
  })
})

test.each([
  ['V14', substrateV14],
  ['V16', substrateV16],
])("another chain's %s lacks every call, in plain ASCII", (_, hex) => {
  const faults = runtimeFaults(readMetadata(hexToU8a(hex)))
  expect(faults).toContain(
    `there is no call ${SUBNET}.setWeights, expected (netuid: u16, dests: Vec<u16>, weights: Vec<u16>, versionKey: u64)`,
  )
  for (const fault of faults) expect(fault).toMatch(/^[\x20-\x7e]{1,300}$/)
})

describe('a file of metadata', () => {
  const hex = metadataOf(wholeRuntime(), 15)
  const some = `0x01${'09d10300'}${hex.slice(2)}`
  test.each<[string, Uint8Array]>([
    ['raw', hexToU8a(hex)],
    ['hex', encode(`${hex}\n`)],
    ['a string in JSON', encode(JSON.stringify(hex))],
    ["a node's answer", encode(JSON.stringify({ jsonrpc: '2.0', result: hex, id: 1 }))],
    [
      "the runtime's own answer, Some and a length before it",
      encode(JSON.stringify({ id: 1, result: some })),
    ],
  ])('may be %s', (_, file) => {
    expect(readMetadata(file).version).toBe(15)
  })

  test.each<[string, Uint8Array]>([
    ['empty', new Uint8Array(0)],
    ['no metadata', encode('{"result":null}')],
    ['cut short', hexToU8a(hex).subarray(0, 500)],
    ['of a version to come', Uint8Array.of(...encode('meta'), 99, 0, 0)],
  ])('that is %s is refused', (_, file) => {
    expect(() => readMetadata(file)).toThrow(Error)
  })
})
