import { Metadata, TypeRegistry } from '@polkadot/types'
import metadata from '@polkadot/types-support/metadata/static-substrate'
import { describe, expect, test } from 'vitest'
import { poolRefusal, readDispatchRefusal } from '../src/bittensor/refusal.ts'
import { ADVICE, type Refusal } from '../src/chain-error.ts'
import { ChainError } from '../src/index.ts'
import messages from './node-messages.json' with { type: 'json' }

/** Returns the error that `NodeSocket` throws for a node's answer. */
const invalid = (data: unknown) => new Error(`1010: Invalid Transaction: ${JSON.stringify(data)}`)

describe('a refusal of the pool', () => {
  test.each([
    [0, 'ColdkeyInSwapSchedule'],
    [1, 'StakeAmountTooLow'],
    [3, 'SubnetNotExists'],
    [6, 'RateLimitExceeded'],
    [10, 'HotKeyNotRegisteredInSubNet'],
    [15, 'InvalidRevealRound'],
    [19, 'UidNotFound'],
    [21, 'ColdkeySwapDisputed'],
    [255, 'Refused'],
  ])('maps the custom error %i to %s', (number, code) => {
    const forms = [
      invalid(`Custom error: ${number}`),
      invalid({ invalid: { custom: number } }),
      new Error(`1: {"Invalid":{"Custom":${number}}}`),
      new Error(`1010: Invalid Transaction: Custom error: ${number}`),
    ]
    // The message has advice where an operator can act.
    const detail = ADVICE[code as Refusal] ?? expect.stringContaining(String(number))
    for (const error of forms)
      expect(poolRefusal(error)).toMatchObject({ name: 'ChainError', code, detail })
  })

  test.each([
    ...Object.entries(messages.invalid),
    // The format of chopsticks.
    [{ invalid: { stale: null } }, 'Stale'],
    [{ invalid: { future: null } }, 'Stale'],
    [{ invalid: { badProof: null } }, 'BadProof'],
    [{ invalid: { ancientBirthBlock: null } }, 'AncientBirthBlock'],
    [{ invalid: { exhaustsResources: null } }, 'ExhaustsResources'],
    [{ invalid: { payment: null } }, 'Payment'],
    [{ invalid: { call: null } }, 'Refused'],
  ])('maps the invalid transaction %j to %s', (data, code) => {
    expect(poolRefusal(invalid(data))).toMatchObject({ code })
  })

  test.each(Object.entries(messages.pool))('maps the words %s to %s', (message, code) => {
    expect(poolRefusal(new Error(message))).toMatchObject({ name: 'ChainError', code })
  })

  test('is null if the pool already has the call, and any ChainError itself', () => {
    expect(poolRefusal(new Error('1013: Transaction Already Imported'))).toBeNull()
    expect(poolRefusal(new Error('1013: Already imported: "0x00"'))).toBeNull()
    const error = new ChainError('Unreachable', 'nobody there')
    expect(poolRefusal(error)).toBe(error)
  })

  test('quotes an unknown message, with the code Refused', () => {
    const detail = expect.stringContaining('-32000: no room')
    const error = new Error('-32000: no room: {"deep":["junk",null]}')
    expect(poolRefusal(error)).toMatchObject({ code: 'Refused', detail })
  })
})

describe('a refusal in a block', () => {
  const registryOf = (metadata: `0x${string}`) => {
    const registry = new TypeRegistry()
    registry.setMetadata(new Metadata(registry, metadata))
    return registry
  }
  const registry = registryOf(metadata)
  /** InsufficientBalance of the pallet Balances. */
  const MODULE_ERROR = { Module: { index: 6, error: [2, 0, 0, 0] } }

  /**
   * Returns a block's events, decoded from bytes as a node sends them. An outcome consists of a
   * phase, and of an error or null for success.
   */
  const eventsOf = (outcomes: [phase: object | string, error: unknown][]) => {
    const info = { weight: { refTime: 1, proofSize: 1 }, class: 'Normal', paysFee: 'Yes' }
    const encode = (type: string, value: unknown) => [...registry.createType(type, value).toU8a()]
    const records = outcomes.map(([phase, error]) => [
      ...encode('Phase', phase),
      ...(error === null ? [0, 0] : [0, 1, ...encode('SpRuntimeDispatchError', error)]),
      ...encode('FrameSupportDispatchDispatchInfo', info),
      0, // topics
    ])
    const bytes = Uint8Array.from([4 * records.length, ...records.flat()])
    return registry.createType('Vec<EventRecord>', bytes)
  }
  const refusalOf = (error: unknown) =>
    readDispatchRefusal(registry, eventsOf([[{ ApplyExtrinsic: 1 }, error]]), 1)

  test("has the error's name as code, and the pallet and the error's description in its detail", () => {
    expect(refusalOf(MODULE_ERROR)).toMatchObject({
      name: 'ChainError',
      code: 'InsufficientBalance',
      detail: expect.stringMatching(/^error of balances: Balance too low/),
    })
  })

  test('masks control characters of the metadata', () => {
    const hex = (text: string) => Buffer.from(text).toString('hex')
    const hostile = metadata
      .replaceAll(hex('InsufficientBalance'), hex('Insufficient\u{1b}[2JJJJ'))
      .replaceAll(hex('Balance too low'), hex('Balance\u{202e}o low'))
    const events = eventsOf([[{ ApplyExtrinsic: 1 }, MODULE_ERROR]])
    expect(readDispatchRefusal(registryOf(hostile as `0x${string}`), events, 1)).toMatchObject({
      code: 'Insufficient?[2JJJJ',
      detail: expect.stringMatching(/^error of balances: Balance\?o low/),
    })
  })

  test.each([
    ['BadOrigin', 'BadOrigin'],
    ['CannotLookup', 'CannotLookup'],
    [{ Token: 'CannotCreate' }, 'CannotCreate'],
    [{ Arithmetic: 'Overflow' }, 'Overflow'],
  ])("maps the error %j, which is not a pallet's, to %s", (error, code) => {
    const detail = expect.stringMatching(/^the chain /)
    expect(refusalOf(error)).toMatchObject({ code, detail })
  })

  test('ignores the events of other extrinsics', () => {
    const events = eventsOf([
      ['Initialization', 'BadOrigin'],
      [{ ApplyExtrinsic: 0 }, null],
      [{ ApplyExtrinsic: 1 }, 'BadOrigin'],
      [{ ApplyExtrinsic: 2 }, null],
      [{ ApplyExtrinsic: 3 }, 'CannotLookup'],
      ['Finalization', 'CannotLookup'],
    ])
    const codes = [0, 1, 2, 3, 4].map((index) => readDispatchRefusal(registry, events, index)?.code)
    expect(codes).toEqual([undefined, 'BadOrigin', undefined, 'CannotLookup', 'BadReply'])
  })
})
