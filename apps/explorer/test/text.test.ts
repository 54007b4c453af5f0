import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fragmentFor, linkTo, routeOf } from '../src/address.ts'
import { networkFrom } from '../src/network-file.ts'
import { shortOf, visible, visibleLine } from '../src/visible.ts'

describe('text from outside', () => {
  test.each([
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['\u001b[31mred', '⟨U+001B⟩[31mred'],
    ['tab\there', 'tab⟨U+0009⟩here'],
    ['zero\u200bwidth', 'zero⟨U+200B⟩width'],
    ['\u{e0041}', '⟨U+E0041⟩'],
    ['\ud800', '⟨U+D800⟩'],
    ['\u00a0', '⟨U+00A0⟩'],
    ['<b>é 漢 ✔</b>\nstays', '<b>é 漢 ✔</b>\nstays'],
  ])('%j is shown as %j', (text, want) => {
    expect(visible(text)).toBe(want)
  })

  it('shows nothing that hides, and the same again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visible(text)
        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(visible(shown)).toBe(shown)
      }),
    )
  })

  it('is cut, and says by how much', () => {
    expect(visible('x'.repeat(100_000), 10)).toBe(`${'x'.repeat(10)}… 99990 more`)
    expect(visibleLine('a\nb')).toBe('a⏎b')
    expect(shortOf('5FxzDj3sCmR4crQdxgRmd67LYQFDvU53ALWjST7bQt2W4aZZ')).toBe('5FxzDj…4aZZ')
  })
})

describe('addresses', () => {
  const hash = 'ab'.repeat(32)
  const key = '5FxzDj3sCmR4crQdxgRmd67LYQFDvU53ALWjST7bQt2W4aZZ'
  test.each([
    ['', { view: 'throne' }],
    ['#/', { view: 'throne' }],
    ['#/validators', { view: 'validators' }],
    [linkTo.duel(hash), { view: 'duel', id: hash }],
    [linkTo.miner(key), { view: 'miner', id: key }],
    [linkTo.sample({ block: hash, line: 7 }), { view: 'sample', block: hash, line: 7 }],
    [linkTo.challenge('2'.repeat(44)), { view: 'challenge', id: '2'.repeat(44) }],
  ])('%s', (fragment, route) => {
    expect(routeOf(fragment)).toEqual(route)
  })

  test.each([
    `#/duel/${hash}/1`,
    '#/duel/x',
    `#/sample/${hash}/1000`,
    `#/sample/${hash}/-1`,
    '#/miner/<img>',
    '#/validators/1',
    '#/__proto__',
    '#/constructor',
  ])('%s leads nowhere', (fragment) => {
    expect(routeOf(fragment)).toEqual({ view: 'nowhere' })
  })

  it('are found for what is pasted', () => {
    const id = '2'.repeat(44)
    expect(fragmentFor(` ${id}\n`)).toBe(linkTo.challenge(id))
    expect(fragmentFor(key)).toBe(linkTo.miner(key))
    expect(fragmentFor(hash)).toBe(linkTo.duel(hash))
    for (const none of ['', 'x', `${id}0`, `${hash}a`, '<b>'])
      expect(fragmentFor(none)).toBe(undefined)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(routeOf(text).view).toBeTypeOf('string')
      }),
    )
  })
})

describe('a network file', () => {
  const base = 'https://example.org/page/'
  const from = (value: unknown, search = '') => networkFrom(value, { search, base })

  it('has its URLs resolved against the page', () => {
    const file = { chain: 'chain.json', buckets: './', last: 40, names: { a: 'b' } }
    expect(from(file)).toEqual({
      ...file,
      chain: `${base}chain.json`,
      buckets: base,
    })
    expect(from({ chain: 'finney' })).toEqual({ chain: 'finney' })
    expect(from({ chain: 'wss://node:443' })?.chain).toBe('wss://node/')
  })

  it('counts for nothing beside a query that names a chain', () => {
    const search = '?chain=http://127.0.0.1:9944&netuid=3'
    expect(from({ chain: 'finney', buckets: 'x', last: 2 }, search)).toEqual({
      chain: 'http://127.0.0.1:9944/',
      netuid: 3,
    })
  })

  test.each([undefined, null, 3, [], {}, { chain: 3 }, { chain: '' }])('%j names none', (value) => {
    expect(from(value)).toBe(undefined)
  })

  it('leaves out what has another shape', () => {
    const file = { chain: 'finney', netuid: -1, last: 1.5, firstEpoch: 'x', names: { a: 3 } }
    expect(from(file)).toEqual({ chain: 'finney' })
  })
})
