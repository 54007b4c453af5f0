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
const thrown = (name: string) => expect.objectContaining(badReply(name))

describe('the metagraph', () => {
  test('has neurons by uid, and stakes of any size', async () => {
    const [first, second] = [
      { permit: true, registered: 3, lastUpdate: 7 },
      { permit: false, registered: 0, lastUpdate: 0 },
    ]
    const settings = { tempo: 360, revealPeriod: 3, maxUids: 256, immunityPeriod: 50_400 }
    expect(await read(metagraph)).toEqual({
      ...settings,
      owner: bob.hotkey,
      neurons: [
        { uid: 0, hotkey: alice.hotkey, stake: 5n, ...first },
        { uid: 1, hotkey: bob.hotkey, stake: 2n ** 128n - 1n, ...second },
      ],
    })
  })

  test('has neither a reveal period without commit-reveal nor an owner if none is stored', async () => {
    const ownerHotkey = encodeAddress(new Uint8Array(32))
    const change = { ownerHotkey, commitRevealWeightsEnabled: false }
    const want = { revealPeriod: 0, owner: undefined }
    expect(await read({ ...metagraph, ...change })).toMatchObject(want)
  })

  test('is requested by the indexes of its fields', async () => {
    const getSelectiveMetagraph = vi.fn(async () => codec(metagraph))
    const call = { subnetInfoRuntimeApi: { getSelectiveMetagraph } }
    await readMetagraph({ ...runtimeOf({}), call } as unknown as Runtime, 120)
    const fields = [5, 8, 31, 36, 46, 47, 52, 57, 59, 66, 69]
    expect(getSelectiveMetagraph.mock.calls).toEqual([[120, fields]])
  })

  test('is rejected if the runtime has no call for it, or there is no subnet', async () => {
    const lacks = { code: 'NotInRuntime', message: expect.stringContaining(METHOD) }
    await expect(readMetagraph(runtimeOf({}), 120)).rejects.toMatchObject(lacks)
    await expect(read(null)).rejects.toMatchObject({ code: 'SubnetNotExists' })
  })

  const polkadot = '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5' // //Alice, with prefix 0
  test.each<[string, object]>([
    ['a hotkey with another prefix', { hotkeys: [alice.hotkey, polkadot] }],
    ['a hotkey too many', { hotkeys: [alice.hotkey, bob.hotkey, encodeAddress(bytes(9))] }],
    ['a permit too few', { validatorPermit: [true] }],
    ['a permit too many', { validatorPermit: [true, false, true] }],
    ['an update too few', { lastUpdate: [7] }],
    ['a registration too few', { blockAtRegistration: [3] }],
    ['a stake too few', { totalStake: [5] }],
    ['a stake without number', { totalStake: [5, '0x'] }],
    ['a stake in decimal text', { totalStake: [5, '12'] }],
    ['a stake of over 128 bits', { totalStake: [5, `0x1${'0'.repeat(32)}`] }],
    ['a stake that JSON has rounded', { totalStake: [5, 2 ** 53] }],
    ...Object.entries(metagraph).flatMap(([name, value]): [string, object][] => [
      [`no ${name}`, { [name]: undefined }],
      [`-1 in ${name}`, { [name]: Array.isArray(value) ? [value[0], -1] : -1 }],
    ]),
  ])('is rejected as BadReply with %s', async (_, change) => {
    const want = badReply('metagraph of subnet 120')
    await expect(read({ ...metagraph, ...change })).rejects.toMatchObject(want)
  })
})

describe('a commitment', () => {
  const slot = (fields: unknown, block: unknown = 9) =>
    parseSlot(codec(alice.hotkey), codec({ block, info: { fields } }))

  test('has its fields as bytes', () => {
    const long = new Uint8Array(128).fill(0xab)
    const cases: [field: object, want: Uint8Array][] = [
      [{ raw3: '0x010203' }, Uint8Array.of(1, 2, 3)],
      [{ raw0: '0x' }, new Uint8Array(0)],
      [{ bigRaw: '0xff' }, Uint8Array.of(255)],
      [{ Raw128: `0x${bytesToHex(long)}` }, long],
    ]
    const fields = cases.map(([, want]) => want)
    const want = { hotkey: alice.hotkey, block: 9, fields }
    expect(slot(cases.map(([field]) => field))).toEqual(want)
    expect(slot([])).toMatchObject({ fields: [] })
  })

  test.each<object>([
    ...[{}, { none: null }, { resetBondsFlag: null }, { sha256: `0x${'00'.repeat(32)}` }],
    { timelockEncrypted: { encrypted: '0x01', revealRound: 5 } },
    ...[{ rawish: '0x01' }, { raw: '0x01' }],
    ...['010203', '0x01020', null, [1, 2, 3]].map((raw3) => ({ raw3 })),
  ])('has no bytes for the field %j, which is not plain bytes', (field) => {
    expect(slot([field, { raw1: '0x07' }]).fields).toEqual([new Uint8Array(0), Uint8Array.of(7)])
  })

  const { hotkey } = alice
  test.each<[string, unknown, unknown]>([
    ['an owner without address', 'alice', { block: 9, info: { fields: [] } }],
    ['no owner', null, { block: 9, info: { fields: [] } }],
    ['a negative block', hotkey, { block: -1, info: { fields: [] } }],
    ['no block', hotkey, { info: { fields: [] } }],
    ['no info', hotkey, { block: 9 }],
    ['no fields', hotkey, { block: 9, info: {} }],
    ['fields without list', hotkey, { block: 9, info: { fields: { raw1: '0x07' } } }],
    ['a field that is a text', hotkey, { block: 9, info: { fields: ['0x07'] } }],
    ['a null', hotkey, null],
  ])('is rejected as BadReply with %s', (_, owner, value) => {
    expect(() => parseSlot(codec(owner), codec(value))).toThrow(thrown('commitment'))
  })
})

test.each(['', '-1', '0.5', '0x10', '1e3', ' 1', '1,000', 'null', '1'.repeat(40)])(
  'rejects the integer %j as BadReply',
  (text) => expect(() => parseInteger(codec(text), 'it')).toThrow(thrown('it')),
)

test('rejects a double map whose entries have one or three keys', async () => {
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

test('reads a row of weights as pairs of uid and weight', () => {
  for (const row of [[], [[0, 65_535]], [[65_535, 1]]]) expect(parseRow(codec(row))).toEqual(row)
})

const pairs = [[1], [1, 2, 3], ['1', 2], [1, 0.5], [-1, 2], [1, -2], [65_536, 2], [1, 65_536]]
test.each([null, '0x', {}, [1, 2], ...pairs.map((pair) => [pair])].map((json) => [json]))(
  'rejects the row of weights %j as BadReply',
  (json) => expect(() => parseRow(codec(json))).toThrow(thrown('weights')),
)
