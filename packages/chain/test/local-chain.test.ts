import { canonicalize, type Json } from '@affine/prng'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Account,
  account,
  type ChainEnvs,
  type ChainError,
  ed25519Account,
  LocalChain,
} from '../src/index.ts'
import {
  type Extrinsic,
  hashBlock,
  hashSetup,
  type LogBlock,
  type LogSetup,
  readLog,
  signExtrinsic,
} from '../src/local/log.ts'
import { chainSuite } from './chain-suite.ts'
import {
  alice,
  bob,
  bytes,
  codeOf,
  harness,
  miner,
  noLimits,
  pass,
  stranger,
  subnet,
} from './subnet.ts'

chainSuite('a local chain', async (limits) =>
  harness(subnet({ params: { ...noLimits, ...limits } })),
)

/** Makes a block. Resolves with the results of the calls. */
async function produce(chain: LocalChain, ...calls: Promise<unknown>[]): Promise<string[]> {
  const codes = calls.map(codeOf)
  await chain.produce(0)
  return Promise.all(codes)
}
/** Returns the code with which a call is refused immediately, or '' if it is accepted. */
const submitted = (chain: LocalChain, signed: Extrinsic): string => {
  try {
    chain.submit(signed)
    return ''
  } catch (error) {
    return (error as ChainError).code
  }
}
const draft = (value: number, nonce = 0, until = 9) => ({
  nonce,
  until,
  call: { fields: [bytesToHex(bytes(value))] },
})

test.each([
  [{ maxValidators: 64 }, [0, 2, 3, 4, 5]],
  [{ maxValidators: 64, stakeThreshold: 9 }, [2, 3, 4, 5]],
  [{ maxValidators: 2 }, [2, 4]],
  [{ maxValidators: 0 }, []],
])('gives permits to the highest stakes with %o', async (params, want) => {
  const stakes = [5n, 0n, 30n, 20n, 20n, 9n]
  const neurons = stakes.map((stake, i) => ({ hotkey: account(bytes(100 + i)).hotkey, stake }))
  const chain = subnet({ neurons, params: { ...noLimits, ...params } })
  const permitted = (await chain.snapshot(0)).neurons.filter(({ permit }) => permit)
  expect(permitted.map(({ uid }) => uid)).toEqual(want)
})

describe('environments', () => {
  const env = { specHash: 'ab'.repeat(32), players: 2, quotaFirst: 8, quotaMost: 64 }
  const start = (envs: object) =>
    LocalChain.create({ netuid: 1, random: () => bytes(1), envs: envs as ChainEnvs })
  const many = Array.from({ length: 17 }, (_, i) => [`nim@0.1.${i}`, env])

  test('are part of the genesis', () => {
    const [one, other] = [8, 9].map((quotaFirst) => start({ 'nim@0.1.0': { ...env, quotaFirst } }))
    expect(LocalChain.import(one!.export()).envs).toEqual({ 'nim@0.1.0': env })
    expect(one!.genesis).not.toBe(other!.genesis)
  })

  const faulty = [
    ...[{ specHash: 'AB'.repeat(32) }, { players: 3 }, { players: true }],
    ...[{ quotaFirst: 0 }, { quotaMost: 4097 }, { more: 1 }],
  ].map((wrong) => ({ 'nim@0.1.0': { ...env, ...wrong } }))
  const names = [[], {}, { nim: env }, { 'Nim@0.1.0': env }, Object.fromEntries(many)]

  test.each([...names, ...faulty].map((envs) => [{ envs }]))('are refused: %j', ({ envs }) => {
    expect(() => start(envs)).toThrow(RangeError)
  })
})

test('copies the weights and fields that it gets, and the fields that it returns', async () => {
  const chain = subnet()
  const [weights, field]: [[number, number][], Uint8Array] = [[[0, 1]], bytes(1)]
  const sent = [chain.setWeights(alice, weights), chain.commit(alice, [field])]
  weights[0]![0] = 1
  field.fill(2)
  await produce(chain, ...sent)
  expect((await chain.weights(1))[alice.hotkey]).toEqual([[0, 1]])
  const readField = async () => (await chain.snapshot(1)).commitments[0]!.fields[0]!
  const read = await readField()
  read.fill(3)
  expect(await readField()).toEqual(bytes(1))
})

test('lets a hotkey without commitment space commit again in the next tempo', async () => {
  const chain = subnet({ params: { ...noLimits, tempo: 10, commitmentBytes: 199 } })
  const commit = () => produce(chain, chain.commit(alice, [bytes(1)]))
  expect(await commit()).toEqual([''])
  await pass(chain, 7)
  expect(await commit()).toEqual(['SpaceLimitExceeded'])
  expect((await chain.head()).number).toBe(9)
  expect(await commit()).toEqual([''])
})

test('registers a hotkey with the next uid, without stake and permit, from its block on', async () => {
  const chain = subnet()
  await pass(chain, 4)
  const sent = [stranger, stranger, alice].map((one) => chain.register(one))
  const known = 'HotKeyAlreadyRegisteredInSubNet'
  expect(await produce(chain, ...sent)).toEqual(['', known, known])
  const seat = { uid: 4, hotkey: stranger.hotkey, stake: 0n, permit: false }
  const { neurons, maxUids } = await chain.snapshot(5)
  expect(maxUids).toBe(256)
  expect(neurons.slice(4)).toEqual([{ ...seat, registered: 5, lastUpdate: 5 }])
  expect((await chain.snapshot(4)).neurons).toHaveLength(4)
  expect(await produce(chain, chain.setWeights(alice, [[4, 1]]))).toEqual([''])
})

test('refuses a call while 1024 calls wait', async () => {
  const senders = Array.from({ length: 32 }, (_, i) => ed25519Account(bytes(i)))
  const chain = subnet({ neurons: senders.map(({ hotkey }) => ({ hotkey, stake: 0n })) })
  const calls = Array.from({ length: 1025 }, (_, i) => chain.commit(senders[i % 32]!, []))
  const codes = await produce(chain, ...calls)
  expect(codes.slice(0, 1024)).not.toContain('ExhaustsResources')
  expect(codes.at(-1)).toBe('ExhaustsResources')
})

describe('signed calls', () => {
  test('take effect once, on one chain', async () => {
    const chain = subnet()
    const signed = signExtrinsic(alice, chain, draft(1))
    expect([1, 2].map(() => submitted(chain, signed))).toEqual(['', 'Stale'])
    await chain.produce(0)
    await produce(chain, chain.commit(alice, [bytes(2)]))
    expect(submitted(chain, signed)).toBe('Stale')
    await pass(chain, 1)
    expect((await chain.snapshot(3)).commitments[0]).toMatchObject({ block: 2, fields: [bytes(2)] })
    expect(() => subnet({ netuid: 121 }).submit(signed)).toThrow('BadProof')
    expect(() => subnet({ random: () => bytes(9) }).submit(signed)).toThrow('BadProof')
  })

  test('are refused if any part of them was changed', async () => {
    const chain = subnet()
    const signed = signExtrinsic(alice, chain, draft(1))
    const changes: Partial<Extrinsic>[] = [
      { hotkey: bob.hotkey },
      { nonce: 1 },
      { until: 10 },
      { call: { fields: [] } },
      { call: { weights: [] } },
      { signature: signExtrinsic(alice, chain, draft(2)).signature },
    ]
    for (const change of changes)
      expect(() => chain.submit({ ...signed, ...change })).toThrow('BadProof')
  })

  test('are refused immediately if the next block would refuse them, and are in no block', async () => {
    const chain = subnet({ params: { ...noLimits, commitmentBytes: 300 } })
    const weighing = { nonce: 1, until: 9, call: { weights: [[0, 1]] } } as const
    const registering = { nonce: 2, until: 9, call: { register: true } } as const
    const calls: [Account, Parameters<typeof signExtrinsic>[2], string][] = [
      // The nonces of waiting calls may have any order and gaps.
      [alice, draft(1, 5), ''],
      [alice, draft(2, 5), 'Stale'],
      [alice, draft(3, 9), ''],
      [alice, draft(4, 7), ''],
      [alice, draft(5, 10), 'SpaceLimitExceeded'],
      // The next block is 1.
      [bob, draft(6, 0, 0), 'AncientBirthBlock'],
      [bob, draft(6, 0, 1), ''],
      [stranger, draft(7), 'AccountNotAllowedCommit'],
      [stranger, weighing, 'HotKeyNotRegisteredInSubNet'],
      [stranger, registering, ''],
    ]
    const signed = calls.map(([who, call]) => signExtrinsic(who, chain, call))
    expect(signed.map((one) => submitted(chain, one))).toEqual(calls.map(([, , want]) => want))
    await chain.produce(0)
    const inBlock = readLog(chain.export(1)).blocks.flatMap((block) => block.calls)
    const taken = signed.filter((_, i) => calls[i]![2] === '')
    expect(new Set(inBlock)).toEqual(new Set(taken))
    expect((await chain.snapshot(1)).commitments[0]!.fields).toEqual([bytes(3)])
    expect(submitted(chain, signExtrinsic(alice, chain, draft(8, 8)))).toBe('Stale')
  })

  test('may arrive in any order', async () => {
    const registering = { nonce: 0, until: 9, call: { register: true } } as const
    const signed = [
      ...[alice, bob, miner].flatMap((who) =>
        [0, 1, 2].map((nonce) => signExtrinsic(who, subnet(), draft(nonce, nonce))),
      ),
      signExtrinsic(stranger, subnet(), registering),
    ]
    const headOf = async (order: readonly Extrinsic[]) => {
      const chain = subnet()
      for (const extrinsic of order) chain.submit(extrinsic)
      return chain.produce(1)
    }
    const want = await headOf(signed)
    const orders = fc.shuffledSubarray(signed, { minLength: signed.length })
    const compare = async (order: readonly Extrinsic[]): Promise<void> => {
      expect(await headOf(order)).toEqual(want)
    }
    await fc.assert(fc.asyncProperty(orders, compare), { numRuns: 10 })
  })
})

describe('an export', async () => {
  const chain = subnet({ params: { ...noLimits, tempo: 4 } })
  await produce(chain, chain.commit(alice, [bytes(1)]), chain.setWeights(bob, [[0, 3]]))
  await chain.produce(7)
  await Promise.all([chain.commit(miner, [bytes(2), bytes(3)]), chain.produce(8)])
  const text = chain.export()
  const refusal = (text: string) => {
    try {
      LocalChain.import(text)
      return 'imported'
    } catch (error) {
      expect(error).toMatchObject({ name: 'ChainError', code: 'BadLog' })
      return (error as ChainError).message
    }
  }

  test('imports as the same chain, which continues identically', async () => {
    const copies = [1, 2].map(() => LocalChain.import(text, () => bytes(77)))
    for (const copy of copies) {
      expect(copy.export()).toBe(text)
      expect(await copy.snapshot(1)).toEqual(await chain.snapshot(1))
      await Promise.all([copy.commit(alice, [bytes(9)]), copy.produce(99)])
    }
    const [first, second] = await Promise.all(copies.map((copy) => copy.snapshot(4)))
    expect(first).toEqual(second)
    const slot = first!.commitments.find(({ hotkey }) => hotkey === alice.hotkey)
    expect(slot).toMatchObject({ block: 4, fields: [bytes(9)] })
  })

  test('is refused with any character changed, missing or added', () => {
    const at = fc.nat(text.length - 1)
    const character = fc.oneof(
      fc.constantFrom(...'0123456789abcdef",:[]{} \n-.e\\'),
      fc.string({ minLength: 1, maxLength: 1 }),
    )
    fc.assert(
      fc.property(at, character, fc.constantFrom(0, 1), (at, character, cut) => {
        const changed = text.slice(0, at) + character + text.slice(at + cut)
        expect(changed === text || refusal(changed) !== 'imported').toBe(true)
        expect(refusal(text.slice(0, at) + text.slice(at + 1))).not.toBe('imported')
      }),
      { numRuns: 200 },
    )
  })

  interface Loose {
    setup: { netuid: number; params: { tempo: number }; neurons: LogSetup['neurons'] }
    blocks: { [key: string]: unknown; calls: { [key: string]: unknown }[] }[]
  }
  const [first = '', ...lines] = text.trimEnd().split('\n')
  /** Returns the log after a change, with canonical lines. */
  const changeLog = (change: (log: Loose) => void, relink: boolean): string => {
    const log: Loose = { setup: JSON.parse(first), blocks: lines.map((line) => JSON.parse(line)) }
    change(log)
    let parent = hashSetup(log.setup as never)
    for (const block of relink ? log.blocks : []) {
      parent = hashBlock(parent, block as unknown as LogBlock)
      block.hash = parent
    }
    return [log.setup, ...log.blocks].map((line) => `${canonicalize(line as Json)}\n`).join('')
  }
  /** Returns the refusal of the changed log. All hashes are recomputed if `relink` is true. */
  const forge = (change: (log: Loose) => void, relink = true) => refusal(changeLog(change, relink))

  const alterations: [string, (log: Loose) => void][] = [
    ['netuid', ({ setup }) => setup.netuid++],
    ['parameters', ({ setup }) => setup.params.tempo++],
    ['the entropy', ({ blocks }) => (blocks[2]!.entropy = '00'.repeat(32))],
    ['a hash', ({ blocks }) => (blocks[3]!.hash = '00'.repeat(32))],
    ['a missing block', ({ blocks }) => blocks.splice(2, 1)],
    ['a missing call', ({ blocks }) => blocks[1]!.calls.pop()],
    ['a repeated block', ({ blocks }) => blocks.push(blocks[2]!)],
    ['no blocks', (log) => (log.blocks = [])],
    ['a malformed block', ({ blocks }) => (blocks[2]!.time = 'x')],
    ['an extra key', ({ blocks }) => (blocks[2]!.more = 1)],
    ['a neuron twice', ({ setup }) => (setup.neurons = [...setup.neurons, setup.neurons[0]!])],
  ]
  const refusedCall = signExtrinsic(stranger, chain, draft(1))
  const forgeries: [string, (log: Loose) => void][] = [
    ['the netuid', ({ setup }) => setup.netuid++],
    ['a stake', ({ setup }) => (setup.neurons = [])],
    ['the entropy of block 0', ({ blocks }) => (blocks[0]!.entropy = '11'.repeat(32))],
    ['a nonce', ({ blocks }) => (blocks[1]!.calls[1]!.nonce = 9)],
    ['a call moved to block 0', ({ blocks }) => blocks[0]!.calls.push(blocks[1]!.calls.pop()!)],
    ['a call repeated', ({ blocks }) => blocks[2]!.calls.push(blocks[1]!.calls[0]!)],
    ['the time', ({ blocks }) => (blocks[2]!.time = 9)],
    ['a refused call', ({ blocks }) => blocks[2]!.calls.push(refusedCall)],
  ]
  const respelt: [string, string][] = [
    ['a line feed more', `${text}\n`],
    ['CR LF', text.replaceAll('\n', '\r\n')],
    ['a key escaped', text.replace('"netuid"', '"\\u006eetuid"')],
    ['keys in another order', text.replace(/(\{)("format":[^,]*),("netuid":\d+)/, '$1$3,$2')],
  ]

  test('is refused after a change, even with recomputed hashes', async () => {
    const refusals = [
      ...respelt.map(([name, log]) => [name, refusal(log)]),
      ...alterations.map(([name, change]) => [name, forge(change, false)]),
      ...forgeries.map(([name, change]) => [`${name}, and all hashes made again`, forge(change)]),
    ]
    const lines = refusals.map(([name, why]) => `${name}: ${why}\n`)
    for (const line of lines) expect(line).toContain(': BadLog: ')
    await expect(lines.join('')).toMatchFileSnapshot('snapshots/changed-log.txt')
  })

  test('is refused if it is a hostile text', () => {
    const deep = '['.repeat(200_000)
    const hostile = [
      ...['', '\n', 'null\n', '1', '[]', '{}', '"x"', 'undefined', '\ud800', text.slice(1)],
      ...[deep, `${deep}${']'.repeat(200_000)}`],
      `{"__proto__":${first}}\n`,
      `${first}\n${' '.repeat(2 ** 22)}${lines[0]}\n`,
    ]
    for (const block of ['null', '{}', '[]', '{"length":1}', `{"__proto__":${lines[0]}}`, deep])
      hostile.push(`${first}\n${block}\n`, `${text}${block}\n`)
    const { params } = JSON.parse(first)
    for (const wrong of [[], {}, { ...params, tempo: 0 }, { ...params, more: 1 }])
      hostile.push(text.replace(canonicalize(params), canonicalize(wrong)))
    for (const text of hostile) expect(refusal(text)).toMatch(/^BadLog: /)
  })
})
