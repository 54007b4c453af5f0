import { describe, expect, it } from 'vitest'
import { addNews, type Book, duelsIn, EMPTY_BOOK, reignsIn } from '../src/book.ts'
import { type Deeds, sumDeeds } from '../src/deeds.ts'
import { endingWords, minerWords, neededOf } from '../src/words.ts'
import type { BucketHealth } from '../src/worker/buckets.ts'
import type { DuelTurn, EpochAccount } from '../src/worker/epoch-account.ts'

const miner = (hotkey: string) => ({ hotkey, model: 'm', revision: 'r', chute: 'c' })
const [A, B, C] = ['5A', '5B', '5C'].map(miner) as [Miner, Miner, Miner]
type Miner = ReturnType<typeof miner>

const deeds = (more: Partial<Deeds> = {}): Deeds => ({
  challenges: 64,
  won: 10,
  lost: 20,
  forfeits: {},
  losses: [],
  ...more,
})
const turn = (verdicts: DuelTurn['verdicts'], start = 1): DuelTurn => ({
  id: `duel from ${start}`,
  champion: A,
  contender: B,
  start,
  ratio: 510_000,
  verdicts,
  turn: 1,
  most: 8,
  environments: 2,
  margin: 1,
})
const epoch = (number: number, more: Partial<EpochAccount> = {}): EpochAccount => ({
  epoch: number,
  champion: A,
  ratio: 510_000,
  duel: undefined,
  frozen: false,
  lanes: [],
  envs: [],
  endings: [],
  heir: A,
  nextRatio: 510_000,
  root: '',
  flaws: [],
  remarks: [],
  votes: undefined,
  trust: {},
  deeds: { champion: deeds(), contender: deeds() },
  ...more,
})
const bookOf = (...epochs: readonly EpochAccount[]): Book =>
  addNews(
    EMPTY_BOOK,
    epochs.map((account) => ({ type: 'epoch', account, health: [] })),
  )

describe('a duel in plain words', () => {
  const lost = { 'no-reply': 64 }
  const held = epoch(1, {
    duel: turn({ a: 'hold', b: 'hold' }),
    endings: ['held'],
    deeds: { champion: deeds(), contender: deeds({ forfeits: lost }) },
  })
  const [account] = duelsIn(bookOf(held))

  it('begins with how it ended, and what the endpoint did', () => {
    if (account === undefined) throw new Error('there is no duel')
    expect(minerWords(account, 'contender').join(' ')).toBe(
      'You lost. 0 of 2 environments were won by the contender, 2 needed. ' +
        'Your endpoint answered 0 of 64 challenges.',
    )
    expect(minerWords(account, 'champion')[0]).toBe('You won.')
  })

  it('names what else was forfeited', () => {
    const forfeits = { illegal: 3, 'no-reply': 1 }
    const both = { champion: deeds(), contender: deeds({ forfeits }) }
    const [open] = duelsIn(bookOf(epoch(1, { duel: turn({}), deeds: both })))
    if (open === undefined) throw new Error('there is no duel')
    expect(minerWords(open, 'contender')).toEqual([
      'The duel goes on.',
      '0 of 2 environments were won by the contender, 2 needed.',
      'Your endpoint answered 63 of 64 challenges.',
      '3 were forfeited: the move was not allowed.',
    ])
  })

  it('adds up what was done over its epochs', () => {
    const two = [deeds({ forfeits: { illegal: 1 } }), deeds({ forfeits: { illegal: 2 } })]
    expect(sumDeeds(two)).toMatchObject({
      challenges: 128,
      won: 20,
      lost: 40,
      forfeits: { illegal: 3 },
    })
  })

  it('needs half and the margin of the environments that are not even', () => {
    expect(neededOf(turn({}))).toBe(2)
    expect(neededOf(turn({ a: 'even' }))).toBe(1)
    expect(neededOf({ ...turn({}), environments: 3 })).toBe(2)
    expect(neededOf({ ...turn({}), environments: 4 })).toBe(3)
  })

  it('says what became of the throne', () => {
    const told = epoch(3, { duel: turn({}), endings: ['failed-and-left', 'crowned'], heir: C })
    expect(endingWords(told, (hotkey) => hotkey)).toEqual([
      '5B fails, and 5A has left.',
      '5C takes the empty throne without a duel.',
    ])
  })
})

describe('a book', () => {
  it('has a reign for each who held the throne, up to the epoch that comes', () => {
    const nobody = { champion: undefined, heir: undefined }
    const book = bookOf(
      epoch(0, { ...nobody, endings: ['crowned'], heir: A }),
      epoch(1),
      epoch(2, { duel: turn({ a: 'win', b: 'win' }), endings: ['dethroned'], heir: B }),
    )
    expect(reignsIn(book)).toEqual([
      { hotkey: undefined, from: 0, to: 1 },
      { hotkey: '5A', from: 1, to: 3 },
      { hotkey: '5B', from: 3, to: 4 },
    ])
    expect(reignsIn(EMPTY_BOOK)).toEqual([])
  })

  it('has a duel for each that ran, with its verdicts as they stand, and its end', () => {
    const book = bookOf(
      epoch(1, { duel: turn({}) }),
      epoch(2, { duel: turn({ a: 'hold' }), endings: ['held'] }),
      epoch(3, { duel: turn({}, 3) }),
    )
    const [first, second, ...more] = duelsIn(book)
    expect(first?.epochs.map((each) => each.epoch)).toEqual([1, 2])
    expect(first?.duel.verdicts).toEqual({ a: 'hold' })
    expect(first?.end?.epoch).toBe(2)
    expect(second?.end).toBe(undefined)
    expect(more).toEqual([])
  })

  it('keeps why reading ended, and leaves out what it does not know', () => {
    const failed = addNews(EMPTY_BOOK, [{ type: 'failed', message: 'no chain', health: [] }])
    expect(failed.failure).toBe('no chain')
    expect(addNews(failed, [])).toBe(failed)
    expect(addNews(failed, [{ type: 'refusal', id: 1, message: '' }])).toEqual(failed)
  })

  it('has of each bucket what was heard last, in the order in which they were met', () => {
    const bucket = (hotkey: string, files: number): BucketHealth => {
      return { hotkey, announced: 'a', place: 'p', files, bytes: 0, missing: 0, silent: undefined }
    }
    const hear = (book: Book, ...health: readonly BucketHealth[]) =>
      addNews(book, [{ type: 'epoch', account: epoch(1), health }])
    const book = hear(hear(EMPTY_BOOK, bucket('5A', 1), bucket('5B', 1)), bucket('5A', 2))
    expect(book.health).toEqual([bucket('5A', 2), bucket('5B', 1)])
  })

  it('has what comparing copies found in place of what an epoch had', () => {
    const flaws = [{ epoch: 2, validator: '5A', code: 'COPY_MISSING', detail: '' }] as const
    const compared = { epoch: 2, copies: 9, flaws }
    const book = addNews(bookOf(epoch(1), epoch(2)), [{ type: 'compared', compared }])
    expect(book.epochs).toEqual([epoch(1), epoch(2, { copies: 9, flaws })])
  })
})
