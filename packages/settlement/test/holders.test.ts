import { type Chain, type Commitment, encodeCommitment, type Snapshot } from '@affine/chain'
import { type Duel, LOCAL } from '@affine/duel'
import { describe, expect, test } from 'vitest'
import { commitmentsOf, duelSnapshot, holdersOf, inReadingOrder, sealsOf } from '../src/index.ts'
import { LOCAL_NETWORK } from '../src/networks.ts'
import { Owners } from '../src/owners.ts'
import { bucketUrls } from '../src/snapshot.ts'
import { placeOf } from '../src/timetable.ts'

/** The network's first epoch, where it matters. */
const FIRST = 7
const HASH = 'ab'.repeat(32)
const seal = (url: string, epoch = 1): Commitment => ({ kind: 'seal', epoch, head: HASH, url })
const attest = (url: string): Commitment => ({
  ...{ kind: 'attest', epoch: 1, bitmap: new Uint8Array(16), next: HASH, stateRoot: HASH, url },
})
const miner = (hotkey: string): Commitment => ({
  ...{ kind: 'miner', model: `m-${hotkey}`, revision: 'r', chute: 'c' },
})

/** A chain on which these hotkeys committed, each ten blocks after the one before. */
function chainOf(said: Readonly<Record<string, Commitment | 'rubbish'>>): Snapshot {
  const hotkeys = Object.keys(said)
  return {
    head: { number: 100, hash: HASH },
    tempo: 30,
    revealPeriod: 0,
    neurons: hotkeys.map((hotkey, uid) => ({
      ...{ uid, hotkey, stake: BigInt(uid), registered: uid, lastUpdate: 0 },
      permit: uid > 0,
    })),
    commitments: Object.values(said).map((each, i) => ({
      hotkey: hotkeys[i] ?? '',
      block: 10 * i,
      fields: each === 'rubbish' ? [new Uint8Array(1)] : encodeCommitment(each),
    })),
  }
}

const duelOf = (weights: Duel['weights']): Duel => ({ weights }) as Duel

describe('the chain’s commitments', () => {
  const chain = chainOf({
    a: seal('at-a'),
    b: attest('at-b'),
    c: miner('c'),
    d: 'rubbish',
    e: seal('at-e', 2),
  })

  test('are those that decode, with their blocks', () => {
    const said = commitmentsOf(chain)
    expect([...said.keys()]).toEqual(['a', 'b', 'c', 'e'])
    expect(said.get('b')).toMatchObject({ kind: 'attest', url: 'at-b', block: 10 })
  })

  test('make a snapshot: every hotkey, who has a permit with its attestation, and miners', () => {
    const { protocol } = LOCAL_NETWORK
    const snapshot = duelSnapshot(chain, 2, protocol)
    expect(snapshot).toMatchObject({ epoch: 2, protocol, hotkeys: ['a', 'b', 'c', 'd', 'e'] })
    expect(snapshot.validators.map(({ hotkey }) => hotkey)).toEqual(['b', 'c', 'd', 'e'])
    const attesting = snapshot.validators.filter((each) => Object.hasOwn(each, 'attest'))
    expect(attesting).toMatchObject([{ hotkey: 'b', stake: 1n, attest: { stateRoot: HASH } }])
    expect(snapshot.miners).toMatchObject([{ hotkey: 'c', model: 'm-c', block: 20, registered: 2 }])
  })

  test('are seals of one epoch', () => {
    expect(sealsOf(chain, 1)).toStrictEqual({ a: HASH })
    expect(sealsOf(chain, 2)).toEqual({ e: HASH })
    expect(sealsOf(chain, 3)).toEqual({})
  })

  test('say where the buckets of validators are', () => {
    expect([...bucketUrls(chain)]).toEqual([
      ['a', 'at-a'],
      ['b', 'at-b'],
      ['e', 'at-e'],
    ])
  })
})

describe('the buckets to read', () => {
  const chain = chainOf({ d: seal('1'), c: attest('2'), b: seal('3'), a: miner('a'), e: seal('5') })
  const holders = () => holdersOf(duelOf({ a: 9, b: 5, c: 7, d: 5 }), chain)

  test('are those of voters that announced one, the heaviest first, equals by hotkey', () => {
    expect(holders()).toEqual([
      { hotkey: 'c', url: '2' },
      { hotkey: 'b', url: '3' },
      { hotkey: 'd', url: '1' },
    ])
    expect(holdersOf(undefined, chain)).toEqual([])
  })

  test('begin with the lane’s validator, then come its attesters', () => {
    const orderOf = (validator: string, attesters?: readonly string[]) =>
      inReadingOrder(holders(), validator, attesters).map(({ hotkey }) => hotkey)
    expect(orderOf('d')).toEqual(['d', 'c', 'b'])
    expect(orderOf('b', ['d', 'b'])).toEqual(['b', 'd', 'c'])
    expect(orderOf('x', ['d'])).toEqual(['d', 'c', 'b'])
  })
})

describe('who borrows another’s bucket', () => {
  type Announced = readonly [hotkey: string, url: string, block: number]

  /** At the end of each of these epochs, the borrowers among a, b and c; how often it was read. */
  const borrowersIn = async (...epochs: readonly (readonly Announced[])[]) => {
    const ends = epochs.map((announced) => {
      const commitments = announced.map(([hotkey, url, block]) => {
        return { hotkey, block, fields: encodeCommitment(seal(url)) }
      })
      return { ...chainOf({ m: miner('m') }), commitments }
    })
    const reads = ends.map(() => 0)
    const snapshot = async (block: number) => {
      const epoch = placeOf(block, LOCAL).epoch - FIRST
      reads[epoch] = (reads[epoch] ?? 0) + 1
      return ends[epoch] as Snapshot
    }
    const chain = { snapshot } as unknown as Chain
    const owners = new Owners({ chain, network: { ...LOCAL_NETWORK, firstEpoch: FIRST } })
    const borrowers: string[][] = []
    for (const epoch of epochs.keys())
      borrowers.push([...(await owners.borrowers(['a', 'b', 'c'], FIRST + epoch))])
    return { borrowers, reads }
  }
  const borrowersOf = async (...epochs: readonly (readonly Announced[])[]) =>
    (await borrowersIn(...epochs)).borrowers

  test('is nobody where each has its own', async () => {
    const announced: Announced[] = [
      ['a', 'x', 1],
      ['b', 'y', 2],
    ]
    expect(await borrowersOf(announced)).toEqual([[]])
  })

  test.each([
    ['HTTPS://bucket.example.//a//', 'https://bucket.example/a'],
    ['http://bucket.example:80', 'http://bucket.example/'],
    ['x//', 'x'],
  ])('is whoever announced it later, however it is written: %s', async (url, same) => {
    const announced: Announced[] = [
      ['a', url, 9],
      ['b', same, 2],
    ]
    expect(await borrowersOf(announced)).toEqual([['a']])
  })

  test.each([
    ['https://bucket.example', 'http://bucket.example'],
    ['https://bucket.example:1', 'https://bucket.example'],
    ['https://bucket.example/a', 'https://bucket.example'],
    ['x/y', 'xy'],
  ])('is nobody at another address: %s and %s', async (url, other) => {
    const announced: Announced[] = [
      ['a', url, 9],
      ['b', other, 2],
    ]
    expect(await borrowersOf(announced)).toEqual([[]])
  })

  test('is not the one that the address names, which is no voter’s where that one is elsewhere', async () => {
    const named: Announced[] = [
      ['a', 'a', 9],
      ['b', 'a', 2],
    ]
    expect(await borrowersOf(named)).toEqual([['b']])
    const elsewhere: Announced[] = [
      ['a', 'b', 9],
      ['b', 'y', 2],
    ]
    expect(await borrowersOf(elsewhere)).toEqual([[]])
  })

  test('is not who had it in the epoch before, though its announcement is the younger one', async () => {
    const own: Announced[] = [['a', 'x', 1]]
    const both: Announced[] = [
      ['a', 'x', 9],
      ['b', 'x', 2],
    ]
    expect(await borrowersOf(own, both)).toEqual([[], ['b']])
    // Whoever leaves it for an epoch, or another bucket, has it no more.
    expect(await borrowersOf(own, [['b', 'x', 2]], both)).toEqual([[], [], ['a']])
    expect(await borrowersOf(own, [['a', 'y', 8]], both)).toEqual([[], [], ['a']])
  })

  test('is nobody whose vote is another’s, nor a miner', async () => {
    const strange: Announced[] = [
      ['z', 'x', 1],
      ['b', 'x', 2],
    ]
    expect(await borrowersOf(strange)).toEqual([[]])
    const own = seal('x')
    const snapshot = async () => chainOf({ a: miner('a'), b: own })
    const chain = { snapshot } as unknown as Chain
    const owners = new Owners({ chain, network: LOCAL_NETWORK })
    expect([...(await owners.borrowers(['a', 'b'], 0))]).toEqual([])
  })

  test('is looked for in the past where an address is shared, and once', async () => {
    const apart: Announced[] = [
      ['a', 'x', 1],
      ['b', 'y', 2],
    ]
    expect((await borrowersIn(apart, apart, apart)).reads).toEqual([1, 1, 1])
    const shared: Announced[] = [
      ['a', 'x', 5],
      ['b', 'x', 6],
    ]
    // At the end of the third, each of both reads the two before; at the fourth, the third.
    const { borrowers, reads } = await borrowersIn(apart, apart, shared, shared, shared)
    expect(borrowers).toEqual([[], [], ['b'], ['b'], ['b']])
    expect(reads).toEqual([2, 3, 3, 3, 1])
  })
})
