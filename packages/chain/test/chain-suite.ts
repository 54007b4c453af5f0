import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Account,
  type Chain,
  ChainError,
  type Head,
  type Params,
  type UidWeights,
} from '../src/index.ts'
import { codeOf } from './subnet.ts'

/**
 * A subnet whose validators have permits. If it was opened without `Limits`, it has no stake
 * threshold and no rate limit.
 */
export interface Harness {
  readonly chain: Chain
  /** At least two, with stake and permits. */
  readonly validators: readonly Account[]
  /** A registered Ed25519 account without a permit. */
  readonly miner: Account
  /** An account that is not registered. */
  readonly stranger: Account
  /** Makes a block, or waits until the chain has made one. */
  advance(): Promise<unknown>
  close?(): Promise<unknown>
}

/** Parameters of a subnet, as in `PARAMS` of log.ts. */
export type Limits = Pick<Params, 'stakeThreshold' | 'weightsRateLimit' | 'commitmentBytes'>

/** Advances blocks until the promise settles. */
export async function settle<T>(promise: Promise<T>, advance: () => Promise<unknown>): Promise<T> {
  let waiting = true
  const done = () => {
    waiting = false
  }
  promise.then(done, done)
  for (let i = 0; i < 100 && waiting; i++) await advance()
  return promise
}

/** Tests the behaviour of every `Chain`. `open` creates a subnet with these limits. */
export function chainSuite(name: string, open: (limits?: Limits) => Promise<Harness>): void {
  let harness: Harness
  let chain: Chain
  let alice: Account
  let bob: Account
  let miner: Account
  let stranger: Account
  const prepare = (limits?: Limits) => {
    beforeAll(async () => {
      harness = await open(limits)
      ;({ chain, miner, stranger } = harness)
      ;[alice, bob] = harness.validators as [Account, Account]
    }, 1_800_000)
    afterAll(() => harness?.close?.())
  }
  const settled = <T>(promise: Promise<T>) => settle(promise, harness.advance)
  const refused = async (promise: Promise<unknown>) => {
    const error = await settled(promise).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ChainError)
    const { code, message } = error as ChainError
    expect(message.length).toBeGreaterThan(code.length)
    return code
  }

  describe(name, () => {
    prepare()
    const slot = async (block: number, { hotkey }: Account) =>
      (await chain.snapshot(block)).commitments.find((slot) => slot.hotkey === hotkey)
    const listNeurons = async () => (await chain.snapshot((await chain.head()).number)).neurons
    const uidOf = async ({ hotkey }: Account) =>
      (await listNeurons()).find((neuron) => neuron.hotkey === hotkey)!.uid
    const bytes = (...values: number[]) => Uint8Array.from(values)

    test('has a genesis, a netuid and a head', async () => {
      const head = await chain.head()
      expect(chain.genesis).toMatch(/^[0-9a-f]{64}$/)
      expect(chain.netuid).toBeGreaterThanOrEqual(0)
      expect(await chain.blockHash(0)).toBe(chain.genesis)
      expect(await chain.blockHash(head.number)).toBe(head.hash)
    })

    test('yields each head once to every reader, from the current head on', async () => {
      const { number: earliest } = await chain.head()
      const stop = new AbortController()
      let begun = 0
      const collect = async (pause: () => Promise<unknown>) => {
        const seen: Head[] = []
        for await (const head of chain.heads(stop.signal)) {
          if (seen.push(head) === 1) begun += 1
          if (seen.length === 6) break
          await pause()
        }
        return seen
      }
      const fast = collect(async () => {})
      const slow = collect(() => new Promise((resolve) => setTimeout(resolve, 30)))
      await expect.poll(() => begun).toBe(2)
      const { number: latest } = await chain.head() // some chains make blocks on their own
      for (const seen of await settled(Promise.all([fast, slow]))) {
        const first = seen[0]!.number
        expect(first).toBeGreaterThanOrEqual(earliest)
        expect(first).toBeLessThanOrEqual(latest)
        expect(seen.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5].map((i) => first + i))
        for (const { number, hash } of seen) expect(await chain.blockHash(number)).toBe(hash)
      }
      stop.abort()
    })

    test('ends the heads when the signal aborts, also during a wait', async () => {
      const stop = new AbortController()
      const seen: number[] = []
      const ended = (async () => {
        for await (const { number } of chain.heads(stop.signal)) seen.push(number)
      })()
      while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      stop.abort()
      await ended
      for await (const _ of chain.heads(AbortSignal.abort())) expect.unreachable()
    })

    test('returns a snapshot of the neurons, with permits only for validators', async () => {
      const head = await chain.head()
      const snapshot = await chain.snapshot(head.number)
      expect(snapshot.head).toEqual(head)
      expect(snapshot.tempo).toBeGreaterThan(0)
      expect(snapshot.revealPeriod).toBe(0)
      const { neurons } = snapshot
      const uids = neurons.map(({ uid }) => uid)
      expect(uids).toEqual([...new Set(uids)].sort((a, b) => a - b))
      const by = (account: Account) => neurons.find(({ hotkey }) => hotkey === account.hotkey)
      for (const validator of harness.validators) {
        expect(by(validator)).toMatchObject({ permit: true })
        expect(by(validator)!.stake).toBeGreaterThan(0n)
      }
      expect(by(miner)).toMatchObject({ permit: false })
      expect(by(stranger)).toBeUndefined()
    })

    test('is tested with an sr25519 account and an Ed25519 account', () => {
      expect([alice.scheme, miner.scheme]).toEqual(['sr25519', 'ed25519'])
    })

    test('returns a commitment, also one without fields or bytes, from its block on', async () => {
      const [first, last] = [0xff, 1].map((value) => new Uint8Array(128).fill(value))
      for (const fields of [[first!, bytes(0), last!], [], [bytes(), bytes(1)]]) {
        const { number, hash } = await settled(chain.commit(miner, fields))
        expect(await chain.blockHash(number)).toBe(hash)
        const want = { hotkey: miner.hotkey, block: number, fields }
        expect(await slot(number, miner)).toEqual(want)
        expect(await slot(number - 1, miner)).not.toEqual(want)
      }
    })

    test('overwrites the slot of a hotkey, except in older snapshots', async () => {
      const first = await settled(chain.commit(alice, [bytes(1), bytes(2)]))
      const second = await settled(chain.commit(alice, [bytes(3)]))
      expect(second.number).toBeGreaterThan(first.number)
      const [older, newer] = [
        { hotkey: alice.hotkey, block: first.number, fields: [bytes(1), bytes(2)] },
        { hotkey: alice.hotkey, block: second.number, fields: [bytes(3)] },
      ]
      expect(await slot(second.number, alice)).toEqual(newer)
      expect(await slot(second.number - 1, alice)).toEqual(older)
      await harness.advance()
      const { commitments } = await chain.snapshot((await chain.head()).number)
      expect(commitments.filter(({ hotkey }) => hotkey === alice.hotkey)).toEqual([newer])
    })

    test('stores the last of several concurrent commitments of one hotkey', async () => {
      const sent = [1, 2, 3].map((value) => chain.commit(bob, [bytes(value)]))
      const heads = await settled(Promise.all(sent))
      const { number } = heads.at(-1)!
      expect((await slot(number, bob))!.fields).toEqual([bytes(3)])
    })

    test('refuses commitments with too many fields, long fields, or of unregistered hotkeys', async () => {
      const four = [1, 2, 3, 4].map((value) => bytes(value))
      expect(await refused(chain.commit(miner, four))).toBe('TooManyFieldsInCommitmentInfo')
      expect(await refused(chain.commit(miner, [new Uint8Array(129)]))).toBe('FieldTooLong')
      expect(await refused(chain.commit(stranger, [bytes(1)]))).toBe('AccountNotAllowedCommit')
      const { number } = await chain.head()
      expect(await slot(number, stranger)).toBeUndefined()
    })

    test('rejects a commitment whose last block has passed', async () => {
      const { number } = await chain.head()
      expect(await refused(chain.commit(alice, [bytes(9)], number))).toBe('AncientBirthBlock')
      const late = await chain.head()
      expect((await slot(late.number, alice))?.fields).not.toEqual([bytes(9)])
      const until = late.number + 60
      const head = await settled(chain.commit(alice, [bytes(10)], until))
      expect(head.number).toBeLessThanOrEqual(until)
    })

    test('returns weights by hotkey, from their block on', async () => {
      const weights = [
        [await uidOf(miner), 65_535],
        [await uidOf(bob), 32_768],
      ] as const
      const before = (await chain.weights((await chain.head()).number))[alice.hotkey]
      const head = await settled(chain.setWeights(alice, weights))
      expect((await chain.weights(head.number))[alice.hotkey]).toEqual(weights)
      expect((await chain.weights(head.number - 1))[alice.hotkey]).toEqual(before)
      const { neurons } = await chain.snapshot(head.number)
      expect(neurons.find(({ hotkey }) => hotkey === alice.hotkey)).toMatchObject({
        lastUpdate: head.number,
      })
    })

    test('refuses weights with the code of the first reason', async () => {
      const [mine, other, none] = [await uidOf(miner), await uidOf(bob), 60_000]
      const { length } = await listNeurons()
      const many = Array.from({ length: length + 1 }, (_, uid) => [uid, 65_535] as const)
      const twice = (uid: number) => [65_535, 2].map((weight) => [uid, weight] as const)
      const cases: [Account, UidWeights, string][] = [
        [stranger, [[mine, 65_535]], 'HotKeyNotRegisteredInSubNet'],
        [miner, [[other, 65_535]], 'NeuronNoValidatorPermit'],
        [alice, twice(mine), 'DuplicateUids'],
        [alice, [[none, 65_535]], 'UidVecContainInvalidOne'],
        [alice, many, 'UidsLengthExceedUidsInSubNet'],
        // The chain has several reasons to refuse each of these calls.
        [stranger, many, 'UidsLengthExceedUidsInSubNet'],
        [stranger, twice(none), 'HotKeyNotRegisteredInSubNet'],
        [miner, twice(none), 'NeuronNoValidatorPermit'],
        [alice, twice(none), 'DuplicateUids'],
      ]
      for (const [account, weights, code] of cases)
        expect(await refused(chain.setWeights(account, weights))).toBe(code)
    })

    test('accepts only weights for the neuron itself from a neuron without a permit', async () => {
      const uid = await uidOf(miner)
      const more = [
        [uid, 65_535],
        [await uidOf(bob), 1],
      ] as const
      expect(await refused(chain.setWeights(miner, more))).toBe('NeuronNoValidatorPermit')
      const head = await settled(chain.setWeights(miner, [[uid, 65_535]]))
      expect((await chain.weights(head.number))[miner.hotkey]).toEqual([[uid, 65_535]])
    })

    test('rejects future, negative and fractional block numbers, and NaN', async () => {
      const { number } = await chain.head()
      for (const block of [number + 1000, -1, 0.5, Number.NaN])
        for (const read of ['snapshot', 'weights', 'blockHash'] as const)
          expect(await codeOf(chain[read](block))).toBe('UnknownBlock')
    })
  })

  describe(`${name}, with limits`, () => {
    prepare({ stakeThreshold: 500, weightsRateLimit: 12, commitmentBytes: 250 })

    test('refuses weights below the stake threshold before any other check', async () => {
      expect(await refused(chain.setWeights(miner, [[0, 65_535]]))).toBe('StakeAmountTooLow')
      const many = new Array(300).fill([60_000, 65_535])
      expect(await refused(chain.setWeights(stranger, many))).toBe('StakeAmountTooLow')
    })

    test('refuses weights within the rate limit since the last weights', async () => {
      await settled(chain.setWeights(alice, [[0, 65_535]]))
      // The block refuses the call, or the pool does so earlier.
      const codes = ['SettingWeightsTooFast', 'RateLimitExceeded']
      expect(codes).toContain(await refused(chain.setWeights(alice, [[0, 65_535]])))
      for (let i = 0; i < 12; i++) await harness.advance()
      await settled(chain.setWeights(alice, [[0, 65_535]]))
    })

    test('limits the bytes that a hotkey commits in a tempo, counting at least 100 per commitment', async () => {
      const sent = [1, 2, 3].map((value) => chain.commit(bob, [Uint8Array.of(value)]))
      const codes = await settled(Promise.all(sent.map(codeOf)))
      expect(codes).toEqual(['', '', 'SpaceLimitExceeded'])
      const large = [1, 2, 3].map(() => new Uint8Array(84))
      expect(await refused(chain.commit(miner, large))).toBe('SpaceLimitExceeded')
      await settled(chain.commit(miner, large.slice(1)))
    })
  })
}
