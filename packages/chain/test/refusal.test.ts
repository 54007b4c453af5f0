import { Metadata, TypeRegistry } from '@polkadot/types'
import metadata from '@polkadot/types-support/metadata/static-substrate'
import { describe, expect, test } from 'vitest'
import { poolRefusal, readDispatchRefusal } from '../src/bittensor/refusal.ts'
import { ADVICE } from '../src/chain-error.ts'
import { ChainError } from '../src/index.ts'
import messages from './node-messages.json' with { type: 'json' }

/** As `NodeSocket` throws what a node answers. */
const invalid = (data: unknown) => new Error(`1010: Invalid Transaction: ${JSON.stringify(data)}`)

describe('what the pool refuses', () => {
  test.each([
    [0, 'ColdkeyInSwapSchedule'],
    [1, 'StakeAmountTooLow'],
    [2, 'BalanceTooLow'],
    [3, 'SubnetNotExists'],
    [4, 'HotkeyAccountDoesntExist'],
    [6, 'RateLimitExceeded'],
    [10, 'HotKeyNotRegisteredInNetwork'],
    [15, 'InvalidRevealRound'],
    [18, 'InputLengthsUnequal'],
    [19, 'UidNotFound'],
    [21, 'ColdkeySwapDisputed'],
    [255, 'BadRequest'],
  ])('with custom error %i is %s', (number, code) => {
    const forms = [
      invalid(`Custom error: ${number}`),
      invalid({ invalid: { custom: number } }),
      new Error(`1: {"Invalid":{"Custom":${number}}}`),
      new Error(`1010: Invalid Transaction: Custom error: ${number}`),
    ]
    // Where an operator can do something, it says what.
    const advice = ADVICE[code as keyof typeof ADVICE]
    const detail = advice ?? expect.stringContaining(String(number))
    for (const error of forms)
      expect(poolRefusal(error)).toMatchObject({ name: 'ChainError', code, detail })
  })

  test('with a custom error nobody here knows says its number', () => {
    expect(poolRefusal(invalid('Custom error: 77'))).toMatchObject({
      code: 'Refused',
      message: expect.stringContaining('Custom error: 77'),
    })
  })

  test.each([
    ...Object.entries(messages.invalid),
    // As chopsticks prints them.
    [{ invalid: { stale: null } }, 'Stale'],
    [{ invalid: { future: null } }, 'Stale'],
    [{ invalid: { badProof: null } }, 'BadProof'],
    [{ invalid: { ancientBirthBlock: null } }, 'AncientBirthBlock'],
    [{ invalid: { exhaustsResources: null } }, 'ExhaustsResources'],
    [{ invalid: { payment: null } }, 'Payment'],
    [{ invalid: { call: null } }, 'Refused'],
  ])('as invalid, %j, is %s', (data, code) => {
    expect(poolRefusal(invalid(data))).toMatchObject({ code })
  })

  test.each(Object.entries(messages.pool))('in the words %s is %s', (said, code) => {
    expect(poolRefusal(new Error(said))).toMatchObject({ name: 'ChainError', code })
  })

  test('because it has the call already is none', () => {
    expect(poolRefusal(new Error('1013: Transaction Already Imported'))).toBeNull()
    expect(poolRefusal(new Error('1013: Already imported: "0x00"'))).toBeNull()
  })

  test('in words of its own is quoted', () => {
    expect(poolRefusal(new Error('-32000: no room: {"deep":["junk",null]}'))).toMatchObject({
      code: 'Refused',
      detail: expect.stringContaining('-32000: no room'),
    })
  })

  test('that is a ChainError already stays the same', () => {
    const error = new ChainError('Unreachable', 'nobody there')
    expect(poolRefusal(error)).toBe(error)
  })
})

describe('what a block refuses', () => {
  const registryOf = (metadata: `0x${string}`) => {
    const registry = new TypeRegistry()
    registry.setMetadata(new Metadata(registry, metadata))
    return registry
  }
  const registry = registryOf(metadata)
  const [BALANCES, INSUFFICIENT_BALANCE] = [6, 2]

  /**
   * A block's events, from the bytes in which a node has them: by extrinsic, its error, or null
   * when it did well.
   */
  const eventsOf = (outcomes: [phase: object | string, error: unknown][]) => {
    const info = { weight: { refTime: 1, proofSize: 1 }, class: 'Normal', paysFee: 'Yes' }
    const records = outcomes.map(([phase, error]) => [
      ...registry.createType('Phase', phase).toU8a(),
      ...(error === null
        ? [0, 0]
        : [0, 1, ...registry.createType('SpRuntimeDispatchError', error).toU8a()]),
      ...registry.createType('FrameSupportDispatchDispatchInfo', info).toU8a(),
      0, // topics
    ])
    return registry.createType(
      'Vec<EventRecord>',
      Uint8Array.from([4 * records.length, ...records.flat()]),
    )
  }
  const refusalOf = (error: unknown) =>
    readDispatchRefusal(registry, eventsOf([[{ ApplyExtrinsic: 1 }, error]]), 1)

  test("has the pallet's name for it, and its words", () => {
    expect(
      refusalOf({ Module: { index: BALANCES, error: [INSUFFICIENT_BALANCE, 0, 0, 0] } }),
    ).toMatchObject({
      name: 'ChainError',
      code: 'InsufficientBalance',
      detail: expect.stringMatching(/^balances .*Balance too low/),
    })
  })

  test('has no names or words of the metadata that a terminal would act on', () => {
    const hex = (text: string) => Buffer.from(text).toString('hex')
    const hostile = metadata
      .replaceAll(hex('InsufficientBalance'), hex('Insufficient\u{1b}[2JJJJ'))
      .replaceAll(hex('Balance too low'), hex('Balance\u{202e}o low'))
    const events = eventsOf([
      [
        { ApplyExtrinsic: 1 },
        { Module: { index: BALANCES, error: [INSUFFICIENT_BALANCE, 0, 0, 0] } },
      ],
    ])
    expect(readDispatchRefusal(registryOf(hostile as `0x${string}`), events, 1)).toMatchObject({
      code: 'Insufficient?[2JJJJ',
      detail: expect.stringMatching(/^balances .*Balance\?o low/),
    })
  })

  test.each([
    ['BadOrigin', 'BadOrigin'],
    ['CannotLookup', 'CannotLookup'],
    [{ Token: 'CannotCreate' }, 'CannotCreate'],
    [{ Arithmetic: 'Overflow' }, 'Overflow'],
  ])("that is no pallet's, %j, is %s", (error, code) => {
    expect(refusalOf(error)).toMatchObject({
      code,
      detail: expect.stringMatching(/^the chain /),
    })
  })

  test('that an operator can mend says how', () => {
    const { code, detail } = refusalOf({ Token: 'FundsUnavailable' }) ?? {}
    expect([code, detail]).toEqual(['FundsUnavailable', ADVICE.FundsUnavailable])
  })

  test('is of the extrinsic at that place alone', () => {
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
