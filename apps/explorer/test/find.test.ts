import { describe, expect, it, test } from 'vitest'
import { linkTo } from '../src/address.ts'
import { titleOf } from '../src/app.tsx'
import { type AppState, EMPTY_STATE } from '../src/app-state.ts'
import { findablesIn, fragmentFor, lostText, suggestionsFor } from '../src/find.ts'
import type { ReadingSpan } from '../src/worker/reader.ts'

const [ALICE, STRONGER, STRONG] = ['A', 'B', 'Bb'].map((end) => `5${end.padEnd(47, 'x')}`) as [
  string,
  string,
  string,
]
const neurons = [
  { uid: 0, hotkey: ALICE, role: 'validator' },
  { uid: 7, hotkey: STRONGER, role: 'miner' },
  { uid: 17, hotkey: STRONG, role: 'miner' },
] as const
const names = { [ALICE]: 'alice', [STRONGER]: 'stronger', [STRONG]: 'strong' }
const STATE: AppState = {
  ...EMPTY_STATE,
  file: { chain: 'finney', names },
  beginning: { neurons } as unknown as ReadingSpan,
}
const DUEL = {
  id: `3/${STRONGER}`,
  name: 'stronger against alice',
  what: 'duel, from epoch 3',
  link: linkTo.duel(`3/${STRONGER}`),
}
const known = [...findablesIn(STATE), DUEL]

describe('what is found', () => {
  test.each([
    ['alice', linkTo.validator(ALICE)],
    ['ALI', linkTo.validator(ALICE)],
    ['0', linkTo.validator(ALICE)],
    ['7', linkTo.miner(STRONGER)],
    ['uid 7', linkTo.miner(STRONGER)],
    ['stronger, miner, uid 7', linkTo.miner(STRONGER)],
    ['UID 17', linkTo.miner(STRONG)],
    ['strong', linkTo.miner(STRONG)],
    ['stronge', linkTo.miner(STRONGER)],
    ['stronger a', DUEL.link],
    ['onger a', DUEL.link],
    [STRONGER, linkTo.miner(STRONGER)],
    ['5Bb', linkTo.miner(STRONG)],
    [`5${'C'.repeat(47)}`, linkTo.miner(`5${'C'.repeat(47)}`)],
    [` ${'2'.repeat(44)}\n`, linkTo.challenge('2'.repeat(44))],
    [`3/${STRONGER}`, DUEL.link],
  ])('%j', (text, link) => {
    expect(fragmentFor(text, known)).toBe(link)
  })

  const NOTHING = 'Nothing is called so here.'
  const SEVERAL = 'Several things are called so here: type more.'
  test.each([
    ['', NOTHING],
    ['nobody', NOTHING],
    ['uid 99', NOTHING],
    [`${'2'.repeat(44)}0`, NOTHING],
    ['<b>', NOTHING],
    [`4/${STRONGER}`, NOTHING],
    ['5', SEVERAL],
    [' stro ', SEVERAL],
  ])('not for %j: it says %j', (text, why) => {
    expect(fragmentFor(text, known)).toBe(undefined)
    expect(lostText(text, known)).toBe(why)
  })

  it('is suggested, the likeliest first', () => {
    const namesFor = (text: string) => suggestionsFor(text, known).map(({ name }) => name)
    expect(namesFor('stro')).toEqual(['stronger', 'strong', DUEL.name])
    expect(namesFor('strong')).toEqual(['strong', 'stronger', DUEL.name])
    expect(namesFor('7')).toEqual(['stronger'])
    expect(namesFor('')).toEqual([])
    const many = Array.from({ length: 99 }, () => known).flat()
    expect(suggestionsFor('a', many).length).toBe(8)
  })
})

it('a window’s title names what is shown', () => {
  const titles = [
    titleOf({ view: 'throne' }, STATE),
    titleOf({ view: 'validators' }, STATE),
    titleOf({ view: 'miner', id: STRONG }, STATE),
    titleOf({ view: 'miner', id: ALICE }, STATE),
    titleOf({ view: 'duel', id: `3/${STRONGER}` }, STATE),
    titleOf({ view: 'sample', block: 'ab'.repeat(32), line: 3 }, STATE),
  ]
  expect(titles).toEqual([
    'The throne · Affine explorer',
    'Validators · Affine explorer',
    'strong, miner · Affine explorer',
    'alice, validator · Affine explorer',
    'Duel 3/5Bxx…xxxx · Affine explorer',
    'Proof of line 3 of block ababab…abab · Affine explorer',
  ])
})
