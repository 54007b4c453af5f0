import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import { beforeAll, describe, expect, test } from 'vitest'
import { callOf } from '../src/bittensor/call.ts'
import type { SaltStore } from '../src/bittensor/salts.ts'
import type { Codec, Storage } from '../src/bittensor/storage.ts'
import { tempoOf } from '../src/bittensor/tempo.ts'
import { timelockEncrypt } from '../src/bittensor/timelock.ts'
import { planWeights } from '../src/bittensor/weight-calls.ts'
import { commitHash, timelockPayload } from '../src/bittensor/weight-encoding.ts'
import type { WeightMeans } from '../src/bittensor/weight-means.ts'
import type { Plan } from '../src/bittensor/weight-plan.ts'
import { planReveal } from '../src/bittensor/weight-reveal.ts'
import { ChainError, type UidWeights } from '../src/index.ts'
import { alice, bob } from './subnet.ts'

const NETUID = 3
const VERSION_KEY = 7n
const weights: UidWeights = [
  [0, 10],
  [4, 30],
]
/** A day after drand's quicknet began, and the round of then: 86400 / 3. */
const NOW = 1_692_803_367_000 + 86_400_000
const ROUND = 28_800

const codec = (json: unknown): Codec => ({
  isEmpty: json === null,
  toJSON: () => json,
  toString: () => (typeof json === 'object' ? JSON.stringify(json) : String(json)),
})

interface State {
  /**
   * Storage items, answers of runtime APIs and constants, by `pallet.item`, with keys
   * `pallet.item(1,2)`.
   */
  readonly values: Record<string, unknown>
  readonly calls?: readonly string[]
}

/** What is in `values` is all the runtime has; the rest is told by name, as of a real one. */
function storageOf({ values, calls = [] }: State): Storage {
  const find = (path: string, keys: readonly unknown[]) => {
    const exact = values[`${path}(${keys})`]
    if (exact === undefined && !(path in values)) throw new Error(`no storage ${path}(${keys})`)
    return codec(exact === undefined ? values[path] : exact)
  }
  return {
    has: (pallet, item) =>
      Object.keys(values).some((path) => path.split('(')[0] === `${pallet}.${item}`),
    hasCall: (pallet, name) => calls.includes(`${pallet}.${name}`),
    query: async (pallet, item, ...keys) => find(`${pallet}.${item}`, keys),
    entries: async (pallet, item, key) =>
      Object.entries((values[`${pallet}.${item}(${key})`] ?? {}) as Record<string, unknown>).map(
        ([at, value]) => [codec(at), codec(value)],
      ),
    call: async (api, method) =>
      `${api}.${method}` in values ? codec(values[`${api}.${method}`]) : null,
    constant: (pallet, name) =>
      `${pallet}.${name}` in values ? codec(values[`${pallet}.${name}`]) : undefined,
  }
}

/** A folder: what one store wrote, another one over the same map reads. */
const folder = (files: Map<string, Uint8Array> = new Map()): SaltStore => ({
  read: async (path, limit) => files.get(path)?.subarray(0, limit) ?? null,
  write: async (path, bytes) => {
    if (files.has(path)) throw new Error(`${path} is there already`)
    files.set(path, bytes)
  },
})

/** Counts up: the same bytes in every run. */
const counting = () => {
  let next = 0
  return (size: number) => Uint8Array.from({ length: size }, () => next++)
}
const meansOf = (salts?: SaltStore, now: number = NOW): WeightMeans => ({
  netuid: NETUID,
  salts,
  random: counting(),
  now: () => now,
})

/** The call that a plan makes on a runtime that has every call: its name, and its arguments. */
async function callIn(plan: Plan | null): Promise<unknown[]> {
  const proxy = (get: (name: string) => unknown) =>
    new Proxy({}, { get: (_, name) => get(String(name)) })
  const tx = proxy((pallet) =>
    proxy((name) => (...args: unknown[]) => [`${pallet}.${name}`, ...args]),
  )
  const made = (await plan!.call({ tx } as unknown as ApiPromise)) as unknown as unknown[]
  return made.map((arg) => (arg as Partial<Codec>).toJSON?.() ?? arg)
}

const M = 'subtensorModule'
const open = {
  [`${M}.weightsVersionKey`]: Number(VERSION_KEY),
  [`${M}.commitRevealWeightsEnabled`]: false,
}
/** Epochs are computed from the block: 5 is in the first one, which ends before block 7. */
const computed = { 'system.number': 5, [`${M}.tempo`]: 10, [`${M}.revealPeriodEpochs`]: 1 }
/** Epochs are counted: the next block, 1000, is in the 8th; the 9th begins at 1009. */
const counted = {
  'system.number': 999,
  [`${M}.tempo`]: 10,
  [`${M}.revealPeriodEpochs`]: 1,
  [`${M}.subnetEpochIndex`]: 8,
  'subnetInfoRuntimeApi.getNextEpochStartBlock': 1009,
}
const committing = { ...open, ...computed, [`${M}.commitRevealWeightsEnabled`]: true }
const beacon = { 'drand.lastStoredRound': ROUND, [`${M}.commitRevealWeightsVersion`]: 4 }

describe('weights where commit and reveal is off', () => {
  test('are set in the open, whatever else the runtime can do', async () => {
    const storage = storageOf({
      values: { ...open, ...beacon },
      calls: [`${M}.commitTimelockedWeights`],
    })
    const plan = await planWeights(storage, meansOf(), { hotkey: alice.hotkey, weights })
    expect(await callIn(plan)).toEqual([`${M}.setWeights`, NETUID, [0, 4], [10, 30], VERSION_KEY])
  })

  test('are held when the chain has them as it rescales them', async () => {
    const plan = await planWeights(storageOf({ values: open }), meansOf(), {
      hotkey: alice.hotkey,
      weights,
    })
    const after = (row: unknown) =>
      storageOf({
        values: { [`${M}.uids(${NETUID},${alice.hotkey})`]: 9, [`${M}.weights(${NETUID},9)`]: row },
      })
    // 10 · 65535 / 30 = 21845
    expect(
      await plan.tookEffect(
        after([
          [0, 21_845],
          [4, 65_535],
        ]),
      ),
    ).toBe(true)
    expect(
      await plan.tookEffect(
        after([
          [0, 21_844],
          [4, 65_535],
        ]),
      ),
    ).toBe(false)
    expect(await plan.tookEffect(after([[4, 65_535]]))).toBe(false)
    expect(await plan.tookEffect(after([]))).toBe(false)
  })
})

describe('weights that are timelocked', () => {
  const names = [
    'commitTimelockedWeights',
    'commitTimelockedMechanismWeights',
    'commitCrv3Weights',
  ].map((name) => `${M}.${name}`)
  // Block 5 is in the epoch that ends before block 7: commits of block 6 are revealed from block 7
  // on.
  const round = ROUND + ((7 + 3 - 5) * 12) / 3
  const sealOf = async (hotkey?: string, at = round) => {
    const payload = timelockPayload({ weights, versionKey: VERSION_KEY, ...(hotkey && { hotkey }) })
    return `0x${bytesToHex(await timelockEncrypt(payload, at, counting()))}`
  }
  let [signed, unsigned] = ['', '']
  beforeAll(async () => {
    ;[signed, unsigned] = await Promise.all([sealOf(alice.hotkey), sealOf()])
  })
  const planned = (calls: readonly string[], values: object = {}, now = NOW) =>
    planWeights(
      storageOf({ values: { ...committing, ...beacon, ...values }, calls }),
      meansOf(undefined, now),
      { hotkey: alice.hotkey, weights },
    )

  test.each([
    [names, 0],
    [names.slice(0, 1), 0],
    [names.slice(1), 1],
    [names.slice(2), 2],
    [[names[2]!, names[0]!], 0],
  ])('go by the newest call there is: of %j, number %i', async (calls, chosen) => {
    const args = [
      [NETUID, signed, round, 4],
      [NETUID, 0, signed, round, 4],
      [NETUID, unsigned, round],
    ]
    expect(await callIn(await planned(calls))).toEqual([names[chosen], ...args[chosen]!])
  })

  test.each([
    [1, 1, 7],
    [1, 3, 7 + 2 * 11],
  ])(
    'wait for the first block of the epoch in %i + %i - 1, block %i',
    async (_, period, begins) => {
      const [, , , at] = await callIn(await planned(names, { [`${M}.revealPeriodEpochs`]: period }))
      expect(at).toBe(ROUND + ((begins + 3 - 5) * 12) / 3)
    },
  )

  test('wait for the epoch that the runtime says begins next, where it counts them', async () => {
    const [, , , at] = await callIn(await planned(names, counted))
    expect(at).toBe(ROUND + ((1009 + 3 - 999) * 12) / 3)
  })

  test("count blocks in the runtime's own time for one", async () => {
    const [, , , at] = await callIn(await planned(names, { 'aura.slotDuration': 6000 }))
    expect(at).toBe(ROUND + ((7 + 3 - 5) * 6) / 3)
  })

  test('are held when their bytes are among the commits, under any of the names that those have', async () => {
    const plan = await planned(names)
    for (const item of ['timelockedWeightCommits', 'crv3WeightCommitsV2', 'crv3WeightCommits']) {
      const after = (bytes: string) =>
        storageOf({
          values: { [`${M}.${item}(${NETUID})`]: { 8: [[alice.hotkey, 5, bytes, round]] } },
        })
      expect(await plan.tookEffect(after(signed))).toBe(true)
      expect(await plan.tookEffect(after(unsigned))).toBe(false)
    }
    expect(await plan.tookEffect(storageOf({ values: {} }))).toBe(false)
  })

  test('take a beacon that is 200 rounds behind, and none that is 201', async () => {
    expect((await callIn(await planned(names, { 'drand.lastStoredRound': ROUND - 200 })))[0]).toBe(
      names[0],
    )
    await expect(planned(names, { 'drand.lastStoredRound': ROUND - 201 })).rejects.toMatchObject({
      code: 'NoSalts',
    })
  })
})

describe('weights that are hashed', () => {
  const timelocked = [`${M}.commitTimelockedWeights`]
  const salt = [0x0100, 0x0302, 0x0504, 0x0706, 0x0908, 0x0b0a, 0x0d0c, 0x0f0e]
  const hash = commitHash({
    hotkey: alice.hotkey,
    netuidIndex: NETUID,
    weights,
    salt,
    versionKey: VERSION_KEY,
  })

  test.each<[string, State]>([
    [
      'the beacon is behind',
      {
        values: { ...committing, ...beacon, 'drand.lastStoredRound': ROUND - 201 },
        calls: timelocked,
      },
    ],
    [
      'the beacon has no round yet',
      { values: { ...committing, 'drand.lastStoredRound': 0 }, calls: timelocked },
    ],
    ['there is no beacon', { values: committing, calls: timelocked }],
    ['the runtime has no timelocked call', { values: { ...committing, ...beacon } }],
  ])('when %s', async (_, state) => {
    const files = new Map<string, Uint8Array>()
    const plan = await planWeights(storageOf(state), meansOf(folder(files)), {
      hotkey: alice.hotkey,
      weights,
    })
    expect(await callIn(plan)).toEqual([`${M}.commitWeights`, NETUID, `0x${hash}`])
    // The salt is kept before the call can be sent, or nobody could reveal.
    expect([...files.keys()]).toEqual([`weights/${hash}`])
  })

  test('do not ask for a beacon that no call would use', async () => {
    const storage = storageOf({ values: { ...committing, ...beacon } })
    const asked: string[] = []
    const query: Storage['query'] = (pallet, ...rest) => {
      asked.push(pallet)
      return storage.query(pallet, ...rest)
    }
    const means = meansOf(folder())
    await planWeights({ ...storage, query }, means, { hotkey: alice.hotkey, weights })
    expect(new Set(asked)).toEqual(new Set([M]))
  })

  test('need a store of salts', async () => {
    const planning = planWeights(storageOf({ values: committing }), meansOf(), {
      hotkey: alice.hotkey,
      weights,
    })
    await expect(planning).rejects.toMatchObject({ name: 'ChainError', code: 'NoSalts' })
  })

  test('are not committed when the salt cannot be kept', async () => {
    const full: SaltStore = { ...folder(), write: () => Promise.reject(new Error('disk full')) }
    const planning = planWeights(storageOf({ values: committing }), meansOf(full), {
      hotkey: alice.hotkey,
      weights,
    })
    await expect(planning).rejects.toThrow('disk full')
  })

  test('have a new salt, and so a new hash, each time', async () => {
    const means = meansOf(folder())
    const plans = [0, 1].map(() =>
      planWeights(storageOf({ values: committing }), means, { hotkey: alice.hotkey, weights }),
    )
    const [[, , first], [, , second]] = (await Promise.all(
      (await Promise.all(plans)).map(callIn),
    )) as [unknown[], unknown[]]
    expect(second).not.toBe(first)
  })

  test('are held when the hash is among the commits', async () => {
    const plan = await planWeights(storageOf({ values: committing }), meansOf(folder()), {
      hotkey: alice.hotkey,
      weights,
    })
    const after = (commits: unknown) =>
      storageOf({ values: { [`${M}.weightCommits(${NETUID},${alice.hotkey})`]: commits } })
    expect(
      await plan.tookEffect(
        after([
          [`0x${'00'.repeat(32)}`, 1, 2, 3],
          [`0x${hash}`, 1, 2, 3],
        ]),
      ),
    ).toBe(true)
    expect(await plan.tookEffect(after([[`0x${'00'.repeat(32)}`, 1, 2, 3]]))).toBe(false)
    expect(await plan.tookEffect(after(null))).toBe(false)
  })
})

describe('a reveal', () => {
  let files: Map<string, Uint8Array>
  let hash: string
  beforeAll(async () => {
    files = new Map()
    const plan = await planWeights(storageOf({ values: committing }), meansOf(folder(files)), {
      hotkey: alice.hotkey,
      weights,
    })
    hash = String((await callIn(plan))[2])
  })
  const other = `0x${'00'.repeat(32)}`
  type Commit = [hash: string, since: number, first: number, last: number]
  const revealed = (
    base: object,
    commits: readonly Commit[] | unknown,
    salts: SaltStore | undefined = folder(files),
    hotkey = alice.hotkey,
  ) =>
    planReveal(
      storageOf({
        values: {
          [`${M}.weightCommits`]: null,
          [`${M}.weightCommits(${NETUID},${alice.hotkey})`]: commits,
          ...base,
        },
      }),
      meansOf(salts),
      hotkey,
    )

  test('repeats what was committed, from a store opened anew', async () => {
    const plan = await revealed(counted, [[hash, 7, 0, 0]])
    const salt = [0x0100, 0x0302, 0x0504, 0x0706, 0x0908, 0x0b0a, 0x0d0c, 0x0f0e]
    expect(await callIn(plan)).toEqual([`${M}.revealWeights`, NETUID, [0, 4], [10, 30], salt, '7'])
    const after = (row: unknown) =>
      storageOf({
        values: { [`${M}.uids(${NETUID},${alice.hotkey})`]: 9, [`${M}.weights(${NETUID},9)`]: row },
      })
    expect(
      await plan!.tookEffect(
        after([
          [0, 21_845],
          [4, 65_535],
        ]),
      ),
    ).toBe(true)
    expect(await plan!.tookEffect(after([[0, 65_535]]))).toBe(false)
  })

  const isDue = async (base: object, commit: Commit) => (await revealed(base, [commit])) !== null

  test.each([
    [6, 1, false],
    [7, 1, true],
    [8, 1, false],
    [5, 3, true],
    [6, 3, false],
    [4, 3, false],
  ])(
    'is due, where epochs are counted, a period after the commit: in epoch 8 of one in %i, period %i: %s',
    async (since, period, due) => {
      expect(
        await isDue({ ...counted, [`${M}.revealPeriodEpochs`]: period }, [hash, since, 0, 0]),
      ).toBe(due)
    },
  )

  test('is due from the block before the first of its epoch on', async () => {
    const at = (head: number) => isDue({ ...counted, 'system.number': head }, [hash, 8, 0, 0])
    expect([await at(1007), await at(1008), await at(1009)]).toEqual([false, true, true])
  })

  test.each([
    [5, false],
    [6, true],
    [16, true],
    [17, false],
  ])(
    'is due, where they are not, when the next block is one of its own: after block %i of 7 to 17: %s',
    async (head, due) => {
      expect(await isDue({ ...computed, 'system.number': head }, [hash, 1, 7, 17])).toBe(due)
    },
  )

  test('is the one that is due among commits that are not, or that another machine made', async () => {
    const plan = await revealed(counted, [
      [hash, 6, 0, 0],
      [other, 7, 0, 0],
      [hash, 7, 0, 0],
    ])
    expect((await callIn(plan))[0]).toBe(`${M}.revealWeights`)
    expect(await revealed(counted, [[other, 7, 0, 0]])).toBeNull()
  })

  test('is none without commits, without a store, and of another hotkey', async () => {
    expect(await revealed(counted, null)).toBeNull()
    expect(await revealed(counted, [])).toBeNull()
    expect(await revealed(counted, [[hash, 7, 0, 0]], folder(), bob.hotkey)).toBeNull()
    const storage = storageOf({
      values: { ...counted, [`${M}.weightCommits(${NETUID},${alice.hotkey})`]: [[hash, 7, 0, 0]] },
    })
    expect(await planReveal(storage, meansOf(), alice.hotkey)).toBeNull()
  })

  const good = { uids: [0, 4], values: [10, 30], salt: [1], versionKey: '7' }
  test.each([
    ['nothing', ''],
    ['a word', 'junk'],
    ['half of it', JSON.stringify(good).slice(0, 20)],
    ['null', 'null'],
    ['a list', '[]'],
    ['no salt', JSON.stringify({ ...good, salt: undefined })],
    ['a negative uid', JSON.stringify({ ...good, uids: [-1, 4] })],
    ['a weight above 65535', JSON.stringify({ ...good, values: [10, 65_536] })],
    ['a salt that is text', JSON.stringify({ ...good, salt: 'salt' })],
    ['a version key in hex', JSON.stringify({ ...good, versionKey: '0x7' })],
    ['a version key that is a number', JSON.stringify({ ...good, versionKey: 7 })],
    ['a list nested deep', '['.repeat(50_000)],
    ['bytes that are no text', '\u{fffd}\0'],
  ])('whose salt file holds %s names the file, and quotes nothing of it', async (_, text) => {
    const salts = folder(new Map([[`weights/${hash.slice(2)}`, utf8ToBytes(text)]]))
    const error: Error = await revealed(counted, [[hash, 7, 0, 0]], salts).then(
      String,
      (error) => error,
    )
    expect(error).toBeInstanceOf(ChainError)
    expect(error.message).toBe(
      `NoSalts: weights/${hash.slice(2)} expected to hold the weights and the salt of a commit, got something else`,
    )
  })

  test.each([
    [{}],
    ['0x'],
    [[[other, 7]]],
    [[['0x/../../secret', 7, 0, 0]]],
    [[[7, 7, 0, 0]]],
    [[[other, '7', 0, 0]]],
  ])('of commits that are %j on the chain is BadReply', async (commits) => {
    await expect(revealed(counted, commits)).rejects.toMatchObject({
      name: 'ChainError',
      code: 'BadReply',
    })
  })
})

describe('the tempo', () => {
  test.each([
    // netuid 3, tempo 10: epoch e has the blocks 11 e - 4 to 11 e + 6
    [0, 0, 7],
    [5, 0, 7],
    [6, 1, 18],
    [16, 1, 18],
    [17, 2, 29],
    [1_000_000, 90_909, 1_000_006],
  ])(
    'of a runtime that computes epochs: after block %i, epoch %i, the next one from block %i',
    async (head, epoch, nextStart) => {
      const storage = storageOf({ values: { ...computed, 'system.number': head } })
      expect(await tempoOf(storage, NETUID)).toEqual({
        epoch,
        nextStart,
        length: 11,
        period: 1,
        head,
      })
    },
  )

  test.each([
    [998, 8, 1009],
    [1007, 8, 1009],
    [1008, 9, 1019],
    [1009, 9, 1019],
  ])(
    'of a runtime that counts epochs: after block %i, epoch %i, the next one from block %i',
    async (head, epoch, nextStart) => {
      const storage = storageOf({
        values: { ...counted, 'system.number': head, [`${M}.revealPeriodEpochs`]: 2 },
      })
      expect(await tempoOf(storage, NETUID)).toEqual({
        epoch,
        nextStart,
        length: 10,
        period: 2,
        head,
      })
    },
  )

  test.each([[undefined], [null]])(
    'of a runtime that counts epochs, but answers %s for the next, is NotInRuntime',
    async (answer) => {
      const { 'subnetInfoRuntimeApi.getNextEpochStartBlock': _, ...without } = counted
      const values =
        answer === undefined
          ? without
          : { ...counted, 'subnetInfoRuntimeApi.getNextEpochStartBlock': answer }
      await expect(tempoOf(storageOf({ values }), NETUID)).rejects.toMatchObject({
        code: 'NotInRuntime',
      })
    },
  )
})

test('a call that the runtime does not have is told by name', async () => {
  const api = { tx: { subtensorModule: {} } } as unknown as ApiPromise
  const calls = [
    [callOf('subtensorModule', 'setWeights'), 'subtensorModule.setWeights'],
    [callOf('commitments', 'setCommitment'), 'commitments.setCommitment'],
  ] as const
  for (const [call, name] of calls) {
    const error: ChainError = await call(api).then(
      () => expect.fail(),
      (error) => error,
    )
    expect(error).toMatchObject({
      code: 'NotInRuntime',
      message: expect.stringContaining(name),
    })
  }
})
