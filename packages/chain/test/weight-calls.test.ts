import { bytesToHex } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/chain/timelock-payload.json' with { type: 'json' }
import { type Call, createCall } from '../src/bittensor/extrinsic.ts'
import type { WeightMeans } from '../src/bittensor/nodes.ts'
import type { Codec } from '../src/bittensor/storage.ts'
import { timelockEncrypt } from '../src/bittensor/timelock.ts'
import {
  countBlocksToReveal,
  createWeightsCall,
  timelockPayload,
} from '../src/bittensor/weight-calls.ts'
import type { UidWeights } from '../src/index.ts'
import { runtimeOf } from './made-storage.ts'
import { alice } from './subnet.ts'

const NETUID = 3
const VERSION_KEY = 7n
const weights: UidWeights = [
  [0, 21_845],
  [4, 65_535],
]
/** A day after the start of drand's quicknet, and the round at that time: 86400 / 3. */
const NOW = 1_692_803_367_000 + 86_400_000
const ROUND = 28_800

/** Returns a `random` that counts up, for the same bytes in every run. */
const counting = () => {
  let next = 0
  return (size: number) => Uint8Array.from({ length: size }, () => next++)
}
/** Weights are public. Epochs are computed: the first epoch has block 5, and ends before block 7. */
const SETTINGS = { head: { number: 5, hash: '' }, tempo: 10, revealPeriod: 0 }
const TIMELOCKED = { ...SETTINGS, revealPeriod: 1 }
const means = (settings = SETTINGS): WeightMeans & { settings: typeof SETTINGS } => ({
  netuid: NETUID,
  random: counting(),
  now: () => NOW,
  settings,
})

/** Resolves with the name and the arguments of a call, on a runtime with every call. */
async function callIn(call: Call): Promise<unknown[]> {
  const proxy = (get: (name: string) => unknown) =>
    new Proxy({}, { get: (_, name) => get(String(name)) })
  const tx = proxy((pallet) =>
    proxy((name) => (...args: unknown[]) => [`${pallet}.${name}`, ...args]),
  )
  const made = (await call({ tx } as unknown as ApiPromise)) as unknown as unknown[]
  return made.map((arg) => (arg as Partial<Codec>).toJSON?.() ?? arg)
}

const M = 'subtensorModule'
const open = { [`${M}.weightsVersionKey`]: Number(VERSION_KEY) }
/** Epochs are counted: the next block, 1000, is in epoch 8. Epoch 9 begins at block 1009. */
const counted = {
  [`${M}.subnetEpochIndex`]: 8,
  'subnetInfoRuntimeApi.getNextEpochStartBlock': 1009,
}
const beacon = { 'drand.lastStoredRound': ROUND, [`${M}.commitRevealWeightsVersion`]: 4 }

test('sets public weights immediately, even if the runtime has timelocks', async () => {
  const runtime = runtimeOf({ ...open, ...beacon }, [`${M}.commitTimelockedWeights`])
  const call = await createWeightsCall(runtime, means(), { hotkey: alice.hotkey, weights })
  const args = [NETUID, [0, 4], [21_845, 65_535], VERSION_KEY]
  expect(await callIn(call)).toEqual([`${M}.setWeights`, ...args])
})

describe('timelocked weights', async () => {
  const names = ['commitTimelockedWeights', 'commitCrv3Weights'].map((name) => `${M}.${name}`)
  // Block 5 is in the epoch that ends before block 7: commits of block 6 are revealed from block 7
  // on.
  const round = ROUND + ((7 + 3 - 5) * 12) / 3
  const sealOf = async (hotkey?: string, at = round) => {
    const payload = timelockPayload({ weights, versionKey: VERSION_KEY, ...(hotkey && { hotkey }) })
    return `0x${bytesToHex(await timelockEncrypt(payload, at, counting()))}`
  }
  const [signed, unsigned] = await Promise.all([sealOf(alice.hotkey), sealOf()])
  const planned = (calls: readonly string[], values: object = {}, settings = TIMELOCKED) =>
    createWeightsCall(runtimeOf({ ...open, ...beacon, ...values }, calls), means(settings), {
      hotkey: alice.hotkey,
      weights,
    })

  test.each([
    [names.slice(0, 1), 0],
    [names.slice(1), 1],
    [[...names].reverse(), 0],
  ])('use the newest call that the runtime has, of %j', async (calls, chosen) => {
    const args = [
      [NETUID, signed, round, 4n],
      [NETUID, unsigned, round],
    ]
    expect(await callIn(await planned(calls))).toEqual([names[chosen], ...args[chosen]!])
  })

  test.each([
    [1, 7],
    [3, 7 + 2 * 11],
  ])('open %i epochs later, in the epoch from block %i on', async (period, begins) => {
    const settings = { ...TIMELOCKED, revealPeriod: period }
    const [, , , at] = await callIn(await planned(names, {}, settings))
    expect(at).toBe(ROUND + ((begins + 3 - 5) * 12) / 3)
  })

  test('open in the next epoch that the runtime reports if it counts epochs', async () => {
    const settings = { ...TIMELOCKED, head: { number: 999, hash: '' } }
    const [, , , at] = await callIn(await planned(names, counted, settings))
    expect(at).toBe(ROUND + ((1009 + 3 - 999) * 12) / 3)
  })

  test.each([
    [ROUND - 200, null],
    [ROUND - 201, 'DrandBehind'],
    [0, 'DrandBehind'],
  ])('accept drand up to 200 rounds late: round %i, code %s', async (lastStoredRound, refused) => {
    const planning = planned(names, { 'drand.lastStoredRound': lastStoredRound })
    if (refused === null) expect((await callIn(await planning))[0]).toBe(names[0])
    else await expect(planning).rejects.toMatchObject({ name: 'ChainError', code: refused })
  })

  test.each([
    ...[`${M}.weightsVersionKey`, `${M}.commitRevealWeightsVersion`, 'drand.lastStoredRound'],
    ...['aura.slotDuration', 'subnetInfoRuntimeApi.getNextEpochStartBlock'],
  ])('are rejected as BadReply if %s has another type', async (item) => {
    for (const other of ['0x01', -1, 0.5, [7]])
      await expect(planned(names, { ...counted, [item]: other })).rejects.toMatchObject({
        name: 'ChainError',
        code: 'BadReply',
      })
  })

  test('are refused if the runtime has no call for them', async () => {
    const message = expect.stringContaining(names[0]!)
    const call = await planned([])
    await expect(call({ tx: {} } as never)).rejects.toMatchObject({ code: 'NotInRuntime', message })
  })
})

describe('the blocks to the next epoch', () => {
  const blocksAfter = (values: object, head: number, revealPeriod: number) => {
    const settings = { ...SETTINGS, head: { number: head, hash: '' }, revealPeriod }
    return countBlocksToReveal(runtimeOf({ ...values }), NETUID, settings)
  }

  test.each([
    // netuid 3, tempo 10: epoch e has the blocks 11 e - 4 to 11 e + 6
    [0, 7],
    [5, 7],
    [6, 18],
    [16, 18],
    [17, 29],
    [1_000_000, 1_000_006],
  ])('are computed: for a call after block %i, the next starts at %i', async (head, nextStart) => {
    expect(head + (await blocksAfter({}, head, 1))).toBe(nextStart)
  })

  test.each([
    [998, 1009],
    [1007, 1009],
    [1008, 1019],
    [1009, 1019],
  ])('are counted: for a call after block %i, the next starts at %i', async (head, nextStart) => {
    expect(head + (await blocksAfter(counted, head, 2))).toBe(nextStart + 10)
  })

  test('are rejected as NotInRuntime if the runtime reports no start of the next epoch', async () => {
    const answer = 'subnetInfoRuntimeApi.getNextEpochStartBlock'
    const { [answer]: _, ...without } = counted
    for (const values of [without, { ...counted, [answer]: null }])
      await expect(blocksAfter(values, 5, 1)).rejects.toMatchObject({ code: 'NotInRuntime' })
  })
})

test.each([
  ['subtensorModule.commitTimelockedWeights', /subtensorModule.*expects 5 arguments/],
  ['subtensorModule.setWeights', /no subtensorModule.setWeights/],
  ['commitments.setCommitment', /no commitments.setCommitment/],
] as const)(
  'names a call that is missing or expects other arguments: %s',
  async (name, message) => {
    const commitTimelockedWeights = () => {
      throw new Error('expects 5 arguments, got 0')
    }
    const api = { tx: { subtensorModule: { commitTimelockedWeights } } } as unknown as ApiPromise
    const calling = createCall(name)(api)
    await expect(calling).rejects.toMatchObject({ code: 'NotInRuntime' })
    await expect(calling).rejects.toThrow(message)
  },
)

test.each(vectors.cases)('encodes a payload: $what', ({ input, want }) => {
  const { weights, versionKey, ...signer } = input
  const pairs = weights as [number, number][]
  const payload = timelockPayload({ ...signer, weights: pairs, versionKey: BigInt(versionKey) })
  expect(bytesToHex(payload)).toBe(want)
})

test.each([
  { hotkey: 'nobody', weights: [], versionKey: 0n },
  { weights: [[65_536, 0]], versionKey: 0n } as const,
  { weights: [[0, -1]], versionKey: 0n } as const,
  { weights: [[0, Number.NaN]], versionKey: 0n } as const,
  { weights: [], versionKey: 2n ** 64n },
])('rejects a payload with a malformed hotkey or a number out of range: %o', (payload) => {
  expect(() => timelockPayload(payload)).toThrow()
})
