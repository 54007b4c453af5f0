import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { linkTo, parseRoute } from '../src/address.ts'
import { chooseNetwork } from '../src/network-file.ts'
import { showHidden, showOnLine } from '../src/visible.ts'

describe('untrusted text', () => {
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
    expect(showHidden(text)).toBe(want)
  })

  it('has no invisible characters, and stays unchanged when shown again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = showHidden(text)
        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(showHidden(shown)).toBe(shown)
      }),
    )
  })

  it('is cut, with the number of omitted characters', () => {
    expect(showHidden('x'.repeat(100_000), 10)).toBe(`${'x'.repeat(10)}… 99990 more`)
    expect(showOnLine('a\nb')).toBe('a⏎b')
  })
})

describe('addresses', () => {
  const hash = 'ab'.repeat(32)
  const key = '5FxzDj3sCmR4crQdxgRmd67LYQFDvU53ALWjST7bQt2W4aZZ'
  test.each([
    ['', { view: 'race' }],
    ['#/', { view: 'race' }],
    ['#/validators', { view: 'validators' }],
    [linkTo.duel(`7/${key}`), { view: 'duel', id: `7/${key}` }],
    [linkTo.sample({ block: hash, line: 7 }), { view: 'sample', block: hash, line: 7 }],
    [linkTo.hotkey(key), { view: 'hotkey', id: key }],
    ['#/miners', { view: 'miners' }],
  ])('lead to a view: %j', (fragment, route) => {
    expect(parseRoute(fragment)).toEqual(route)
  })

  test.each([
    `#/duel/${hash}`,
    `#/duel/${key}`,
    '#/duel/7',
    `#/duel/-7/${key}`,
    `#/duel/7/${key}/1`,
    '#/duel/7/<img>',
    `#/sample/${hash}/10000`,
    `#/sample/${hash}/-1`,
    '#/hotkey/<img>',
    '#/validators/1',
    '#/play',
    '#/__proto__',
    '#/constructor',
  ])('lead nowhere: %j', (fragment) => {
    expect(parseRoute(fragment)).toEqual({ view: 'nowhere' })
  })

  it('are parsed without an exception, for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseRoute(text).view).toBeTypeOf('string')
      }),
    )
  })
})

describe('a network file', () => {
  const base = 'https://example.org/page/'
  const from = (value: unknown, search = '') => chooseNetwork(value, { search, base })
  const named = (value: unknown, search?: string) => {
    const read = from(value, search)
    if (!read.ok) throw new Error(read.detail)
    return read.value
  }
  const OWN = { chain: 'finney', last: 40, names: { a: 'b' } }

  it('has its URLs resolved against the page', () => {
    const file = { chain: 'chain.json', buckets: './', last: 40, names: { a: 'b' } }
    const own = { ...file, chain: `${base}chain.json`, buckets: base }
    expect(named(file)).toEqual({ file: own, isByLink: false, own })
    expect(named({ chain: 'finney' }).file).toEqual({ chain: 'finney' })
    expect(named({ chain: 'wss://node:443' }).file.chain).toBe('wss://node/')
    const onLan = { search: '', base: 'http://10.0.0.7:8080/' }
    expect(chooseNetwork(file, onLan)).toMatchObject({ value: { file: { buckets: onLan.base } } })
  })

  it('is ignored if a link names another network', () => {
    const file = { chain: 'http://127.0.0.1:9944/', netuid: 3 }
    const search = '?chain=http://127.0.0.1:9944&netuid=3'
    expect(named(OWN, search)).toEqual({ file, isByLink: true, own: OWN })
    expect(named(undefined, search)).toEqual({ file, isByLink: true, own: undefined })
    expect(named({ chain: 3 }, search).own).toBe(undefined)
  })

  it('is used, as without a link, if a link describes the same network', () => {
    expect(named(OWN, '?chain=finney&last=40')).toEqual({ file: OWN, isByLink: false, own: OWN })
    for (const other of ['', '&last=41', '&last=40&firstEpoch=3', '&last=40&buckets=x'])
      expect(named(OWN, `?chain=finney${other}`).isByLink, other).toBe(true)
  })

  it('is used with the `last` of a link that names no chain', () => {
    const file = { ...OWN, last: 2 }
    expect(named(OWN, '?last=2')).toEqual({ file, isByLink: false, own: OWN })
    expect(named(OWN, '?').file).toEqual(OWN)
    expect(from(undefined, '?last=2')).toMatchObject({ detail: expect.stringMatching(/^No netw/) })
  })

  test.each([undefined, null, 3, [], {}])('names no network: %j', (value) => {
    expect(from(value)).toMatchObject({ ok: false, detail: expect.stringMatching(/^No network/) })
  })

  it('is refused, as a link is, with the name of a wrong field', async () => {
    const files = [
      { chain: 3 },
      { chain: '' },
      { chain: 'javascript:1' },
      { chain: 'data:application/json,{}' },
      { chain: 'https://finney.example@evil/' },
      { chain: 'http://127.0.0.2/' },
      { chain: 'ws://127.0.0.1.example' },
      { chain: 'http://example.org/chain.json' },
      { chain: 'finney', buckets: 'http://10.0.0.7:8080/' },
      { chain: 'finney', buckets: 'wss://node' },
      { chain: 'finney', netuid: -1 },
      { chain: 'finney', netuid: 65_536 },
      { chain: 'finney', last: 0 },
      { chain: 'finney', last: 1.5 },
      { chain: 'finney', firstEpoch: 'x' },
      { chain: 'finney', firstEpoch: 9_007_199_254_740_991 },
    ]
    const links = [
      '?buckets=https://evil/',
      '?last=2&firstEpoch=3',
      '?netuid=7',
      '?last=-5',
      '?chan=x',
      '?chain=finney&chan=x',
      '?chain=finney&firstEpoch=9007199254740991',
      '?chain=finney&netuid=',
      '?chain=finney&netuid=0x7',
      '?chain=finney&last=1e9',
      '?chain=finney&last=-1',
    ]
    const refusals = [
      ...files.map((file) => [JSON.stringify(file), from(file)] as const),
      ...links.map((link) => [link, from(OWN, link)] as const),
    ]
    const lines = refusals.map(([given, read]) => {
      if (read.ok) throw new Error(`not refused: ${given}`)
      return `${given}\n  ${read.detail}\n`
    })
    await expect(lines.join('')).toMatchFileSnapshot('snapshots/network-file.txt')
  })

  it('ignores invalid names', () => {
    expect(named({ chain: 'finney', names: { a: 3 } }).file).toEqual({ chain: 'finney' })
  })

  it('is read without an exception, for any value and link', () => {
    fc.assert(
      fc.property(fc.anything(), fc.webQueryParameters(), (value, query) => {
        expect(from(value, query).ok).toBeTypeOf('boolean')
        expect(from(value, `chain=${query}`).ok).toBeTypeOf('boolean')
      }),
    )
  })
})
