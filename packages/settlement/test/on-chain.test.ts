import { type Commitment, encodeCommitment, type Snapshot } from '@affine/chain'
import { describe, expect, test } from 'vitest'
import {
  averageBlockMs,
  decodeCommitments,
  duelSnapshot,
  findRecipient,
  LOCAL_NETWORK,
  listHolders,
  listSeals,
  sortForReading,
} from '../src/index.ts'

const HASH = 'ab'.repeat(32)
const seal = (url: string, epoch = 1): Commitment => ({ kind: 'seal', epoch, head: HASH, url })
const attest = (url: string): Commitment => ({
  ...{ kind: 'attest', epoch: 1, bitmap: new Uint8Array(16), next: HASH, stateRoot: HASH, url },
})
const miner = (hotkey: string): Commitment => ({
  ...{ kind: 'miner', model: `m-${hotkey}`, revision: 'r', chute: 'c' },
})

/** Returns a chain's snapshot with these commitments by hotkey, ten blocks apart. */
function chainOf(commitments: Readonly<Record<string, Commitment | 'rubbish'>>): Snapshot {
  const hotkeys = Object.keys(commitments)
  return {
    head: { number: 100, hash: HASH },
    tempo: 30,
    revealPeriod: 0,
    maxUids: 256,
    immunityPeriod: 4096,
    neurons: hotkeys.map((hotkey, uid) => ({
      ...{ uid, hotkey, stake: BigInt(uid), registered: uid, lastUpdate: 0 },
      permit: uid > 0,
    })),
    commitments: Object.values(commitments).map((each, i) => ({
      hotkey: hotkeys[i] ?? '',
      block: 10 * i,
      fields: each === 'rubbish' ? [new Uint8Array(1)] : encodeCommitment(each),
    })),
  }
}

describe('the commitments on chain', () => {
  const chain = chainOf({
    a: seal('at-a'),
    b: attest('at-b'),
    c: miner('c'),
    d: 'rubbish',
    e: seal('at-e', 2),
  })

  test('are decoded with their blocks, except invalid ones', () => {
    const commitments = decodeCommitments(chain)
    expect([...commitments.keys()]).toEqual(['a', 'b', 'c', 'e'])
    expect(commitments.get('b')).toMatchObject({ kind: 'attest', url: 'at-b', block: 10 })
  })

  test('make a snapshot: all hotkeys, permitted validators, attestations, and miners', () => {
    const { protocol } = LOCAL_NETWORK
    const snapshot = duelSnapshot(chain, 2, protocol)
    expect(snapshot).toMatchObject({ epoch: 2, protocol, hotkeys: ['a', 'b', 'c', 'd', 'e'] })
    expect(snapshot.validators.map(({ hotkey }) => hotkey)).toEqual(['b', 'c', 'd', 'e'])
    const attesting = snapshot.validators.filter((each) => Object.hasOwn(each, 'attest'))
    expect(attesting).toMatchObject([{ hotkey: 'b', stake: 1n, attest: { stateRoot: HASH } }])
    expect(snapshot.miners).toMatchObject([{ hotkey: 'c', model: 'm-c', block: 20, registered: 2 }])
  })

  test('are filtered for the seals of an epoch', () => {
    expect(listSeals(chain, 1)).toStrictEqual({ a: HASH })
    expect(listSeals(chain, 2)).toEqual({ e: HASH })
    expect(listSeals(chain, 3)).toEqual({})
  })
})

describe('the buckets to read', () => {
  const chain = chainOf({ d: seal('1'), c: attest('2'), b: seal('3'), a: miner('a'), e: seal('5') })
  const voters = { a: 9, b: 5, c: 7, d: 5 }
  const holders = () => listHolders(voters, chain)

  test('belong to voters that announced a bucket, by falling weight, then by hotkey', () => {
    expect(listHolders({ ...voters, e: 5 }, chain)).toEqual([
      { hotkey: 'c', url: '2' },
      { hotkey: 'b', url: '3' },
      { hotkey: 'd', url: '1' },
      { hotkey: 'e', url: '5' },
    ])
    expect(listHolders({}, chain)).toEqual([])
  })

  test('begin with the bucket of the lane’s validator if no one has attested the lane yet', () => {
    const orderOf = (validator: string) =>
      sortForReading(holders(), validator).map(({ hotkey }) => hotkey)
    expect(orderOf('d')).toEqual(['d', 'c', 'b'])
    expect(orderOf('c')).toEqual(['c', 'b', 'd'])
    expect(orderOf('x')).toEqual(['c', 'b', 'd'])
  })

  test('begin with the buckets of attesters, if any, at a different attester for each lane', () => {
    const orderOf = (validator: string, attesters: readonly string[]) =>
      sortForReading(holders(), validator, attesters).map(({ hotkey }) => hotkey)
    const all = ['b', 'c', 'd']
    expect(orderOf('c', all)).toEqual(['b', 'd', 'c'])
    expect(orderOf('b', all)).toEqual(['d', 'c', 'b'])
    expect(orderOf('d', all)).toEqual(['c', 'b', 'd'])
    expect(orderOf('b', ['b', 'c'])).toEqual(['c', 'b', 'd'])
    expect(orderOf('x', ['d'])).toEqual(['d', 'c', 'b'])
  })
})

const { neurons } = chainOf({ champion: miner('champion'), owner: 'rubbish' })
const champion = { hotkey: 'champion', model: 'm', revision: 'r', chute: 'c' }
test.each([
  ['is a registered champion', champion, 'owner', neurons, 'champion'],
  ['is the owner if the champion is unregistered', champion, 'owner', neurons.slice(1), 'owner'],
  ['is the owner if there is no champion', undefined, 'owner', neurons, 'owner'],
  ['is no one if the owner is unregistered', undefined, 'owner', neurons.slice(0, 1), undefined],
  ['is no one without a champion and an owner', undefined, undefined, neurons, undefined],
  ['is the champion if there is no owner', champion, undefined, neurons, 'champion'],
])('the recipient of all weight %s', (_, champion, owner, neurons, want) => {
  expect(findRecipient(champion ? { champion } : {}, { owner, neurons })).toBe(want)
})

test.each([
  [0, 0],
  [1, 3],
  [20, 22],
  [21, 24],
  [100, 182],
])('averages the last 20 block times up to block %i: %i ms', async (block, ms) => {
  const time = async (of: number) => of * of + 2 * of
  expect(await averageBlockMs({ time }, block)).toBe(ms)
})
