import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, test, vi } from 'vitest'
import { parseSlot, readMetagraph } from '../src/bittensor/metagraph.ts'
import { type Codec, parseInteger, type Runtime, readEntries } from '../src/bittensor/storage.ts'
import { parseRow } from '../src/bittensor/weight-calls.ts'
import { encodeAddress } from '../src/index.ts'
import { codec, runtimeOf } from './made-storage.ts'
import { alice, bob, bytes } from './subnet.ts'

const metagraph = {
  ownerHotkey: bob.hotkey,
  tempo: 360,
  maxUids: 256,
  immunityPeriod: 50_400,
  commitRevealWeightsEnabled: true,
  commitRevealPeriod: 3,
  hotkeys: [alice.hotkey, bob.hotkey],
  validatorPermit: [true, false],
  lastUpdate: [7, 0],
  blockAtRegistration: [3, 0],
  totalStake: [5, '0xffffffffffffffffffffffffffffffff'],
}
const METHOD = 'subnetInfoRuntimeApi.getSelectiveMetagraph'
const read = (json: unknown) => readMetagraph(runtimeOf({ [METHOD]: json }), 120)
const badReply = (name: string) => ({
  name: 'ChainError',
  code: 'BadReply',
  message: expect.stringContaining(name),
})

describe('the metagraph', () => {
  test('has neurons by uid, stakes of any size, and the reveal period if commit-reveal is on', async () => {
    expect(await read(metagraph)).toEqual({
      tempo: 360,
      revealPeriod: 3,
      maxUids: 256,
      immunityPeriod: 50_400,
      owner: bob.hotkey,
      neurons: [
        { uid: 0, hotkey: alice.hotkey, stake: 5n, permit: true, registered: 3, lastUpdate: 7 },
        {
          uid: 1,
          hotkey: bob.hotkey,
          stake: 2n ** 128n - 1n,
          permit: false,
          registered: 0,
          lastUpdate: 0,
        },
      ],
    })
    expect(await read({ ...metagraph, commitRevealWeightsEnabled: false })).toMatchObject({
      revealPeriod: 0,
    })
  })

  test('has no owner if the chain stores none', async () => {
    const ownerHotkey = encodeAddress(new Uint8Array(32))
    expect((await read({ ...metagraph, ownerHotkey })).owner).toBeUndefined()
  })

  test('is requested by the indexes of its fields', async () => {
    const getSelectiveMetagraph = vi.fn(async () => codec(metagraph))
    const call = { subnetInfoRuntimeApi: { getSelectiveMetagraph } }
    await readMetagraph({ ...runtimeOf({}), call } as unknown as Runtime, 120)
    const fields = [5, 8, 31, 36, 46, 47, 52, 57, 59, 66, 69]
    expect(getSelectiveMetagraph.mock.calls).toEqual([[120, fields]])
  })

  test('is rejected as NotInRuntime if the runtime has no call for it', async () => {
    await expect(readMetagraph(runtimeOf({}), 120)).rejects.toMatchObject({
      code: 'NotInRuntime',
      message: expect.stringContaining('getSelectiveMetagraph'),
    })
  })

  test('is rejected as SubnetNotExists if there is no subnet', async () => {
    await expect(read(null)).rejects.toMatchObject({ code: 'SubnetNotExists' })
  })

  const polkadot = '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5' // //Alice, with prefix 0
  test.each<[string, object]>([
    ['an owner without address', { ownerHotkey: 'alice' }],
    ['a null as owner', { ownerHotkey: null }],
    ['a hotkey with another prefix', { hotkeys: [alice.hotkey, polkadot] }],
    ['a hotkey without address', { hotkeys: [alice.hotkey, `0x${bytesToHex(bytes(1))}`] }],
    ['a null as hotkeys', { hotkeys: null }],
    ['a hotkey too many', { hotkeys: [alice.hotkey, bob.hotkey, encodeAddress(bytes(9))] }],
    ['a permit too few', { validatorPermit: [true] }],
    ['a permit too many', { validatorPermit: [true, false, true] }],
    ['a permit that is a number', { validatorPermit: [1, 0] }],
    ['an update too few', { lastUpdate: [7] }],
    ['a negative update', { lastUpdate: [7, -1] }],
    ['a registration too few', { blockAtRegistration: [3] }],
    ['a registration in hex', { blockAtRegistration: [3, '0x3'] }],
    ['a stake too few', { totalStake: [5] }],
    ['a negative stake', { totalStake: [5, -1] }],
    ['a fraction of a stake', { totalStake: [5, 0.5] }],
    ['a stake without number', { totalStake: [5, '0x'] }],
    ['a stake in decimal text', { totalStake: [5, '12'] }],
    ['a stake of over 128 bits', { totalStake: [5, `0x1${'0'.repeat(32)}`] }],
    ['a stake that JSON has rounded', { totalStake: [5, 2 ** 53] }],
    ['a negative tempo', { tempo: -1 }],
    ['a tempo in hex', { tempo: '0x10' }],
    ['a negative period', { commitRevealPeriod: -1 }],
    ['commit-reveal neither on nor off', { commitRevealWeightsEnabled: null }],
  ])('is rejected as BadReply with %s', async (_, change) => {
    await expect(read({ ...metagraph, ...change })).rejects.toMatchObject(
      badReply('metagraph of subnet 120'),
    )
  })

  test.each(Object.keys(metagraph))('is rejected as BadReply without %s', async (field) => {
    const change = { [field]: undefined }
    await expect(read({ ...metagraph, ...change })).rejects.toMatchObject(badReply('metagraph'))
  })
})

describe('a commitment', () => {
  const slot = (fields: unknown, block: unknown = 9) =>
    parseSlot(codec(alice.hotkey), codec({ block, info: { fields } }))

  test('has its fields as bytes', () => {
    const fields = [
      { raw3: '0x010203' },
      { raw0: '0x' },
      { bigRaw: '0xff' },
      { Raw128: `0x${'ab'.repeat(128)}` },
    ]
    expect(slot(fields)).toEqual({
      hotkey: alice.hotkey,
      block: 9,
      fields: [
        Uint8Array.of(1, 2, 3),
        new Uint8Array(0),
        Uint8Array.of(255),
        Uint8Array.from({ length: 128 }, () => 0xab),
      ],
    })
    expect(slot([])).toMatchObject({ fields: [] })
  })

  test.each([
    [{ none: null }],
    [{ timelockEncrypted: { encrypted: '0x01', revealRound: 5 } }],
    [{ sha256: `0x${'00'.repeat(32)}` }],
    [{ resetBondsFlag: null }],
    [{ rawish: '0x01' }],
    [{ raw: '0x01' }],
    [{ raw3: '010203' }],
    [{ raw3: '0x01020' }],
    [{ raw3: null }],
    [{ raw3: [1, 2, 3] }],
    [{}],
  ])('has no bytes for the field %j, which is not plain bytes', (field) => {
    expect(slot([field, { raw1: '0x07' }]).fields).toEqual([new Uint8Array(0), Uint8Array.of(7)])
  })

  test.each<[string, unknown, unknown]>([
    ['an owner without address', 'alice', { block: 9, info: { fields: [] } }],
    ['no owner', null, { block: 9, info: { fields: [] } }],
    ['a negative block', alice.hotkey, { block: -1, info: { fields: [] } }],
    ['no block', alice.hotkey, { info: { fields: [] } }],
    ['no info', alice.hotkey, { block: 9 }],
    ['no fields', alice.hotkey, { block: 9, info: {} }],
    ['fields without list', alice.hotkey, { block: 9, info: { fields: { raw1: '0x07' } } }],
    ['a field that is a text', alice.hotkey, { block: 9, info: { fields: ['0x07'] } }],
    ['a null', alice.hotkey, null],
  ])('is rejected as BadReply with %s', (_, owner, value) => {
    const error = expect.objectContaining(badReply('commitment'))
    expect(() => parseSlot(codec(owner), codec(value))).toThrow(error)
  })
})

describe('an integer', () => {
  test.each(['', '-1', '0.5', '0x10', '1e3', ' 1', '1,000', 'null', '1'.repeat(40)])(
    'is rejected as BadReply if it is %j',
    (text) => {
      const error = expect.objectContaining(badReply('it'))
      expect(() => parseInteger(codec(text), 'it')).toThrow(error)
    },
  )
})

test('rejects an item with one or three keys as a double map', async () => {
  const [first, second, third] = [codec(120), codec(1), codec(2)]
  const read = async (...args: readonly Codec[]) => {
    const weights = { entries: async () => [[{ args }, codec([])]] }
    const runtime = { query: { subtensorModule: { weights } } } as never
    return readEntries(runtime, 'subtensorModule.weights', 120)
  }
  expect(await read(first, second)).toMatchObject([[second, {}]])
  for (const keys of [[first], [first, second, third]])
    await expect(read(...keys)).rejects.toMatchObject(badReply('two keys'))
})

describe('a row of weights', () => {
  test('has pairs of uid and weight', () => {
    const row = [
      [0, 65_535],
      [65_535, 1],
    ]
    expect(parseRow(codec(row))).toEqual(row)
    expect(parseRow(codec([]))).toEqual([])
  })

  test.each([
    [null],
    ['0x'],
    [{}],
    [[1, 2]],
    [[[1]]],
    [[[1, 2, 3]]],
    [[['1', 2]]],
    [[[1, 0.5]]],
    [[[-1, 2]]],
    [[[1, -2]]],
    [[[65_536, 2]]],
    [[[1, 65_536]]],
  ])('is rejected as BadReply if it is %j', (json) => {
    const error = expect.objectContaining(badReply('weights'))
    expect(() => parseRow(codec(json))).toThrow(error)
  })
})
