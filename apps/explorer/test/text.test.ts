import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { linkTo, parseRoute } from '../src/address.ts'
import { readNetworkFile } from '../src/network-file.ts'
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

  it('has its URLs resolved against the page', () => {
    const file = { chain: 'chain.json', buckets: './', last: 40, names: { a: 'b' } }
    const resolved = { ...file, chain: `${base}chain.json`, buckets: base }
    expect(readNetworkFile(file, base)).toEqual({ ok: true, value: resolved })
    const named = { ok: true, value: { chain: 'finney' } }
    expect(readNetworkFile({ chain: 'finney' }, base)).toEqual(named)
    const node = readNetworkFile({ chain: 'wss://node:443' }, base)
    expect(node).toMatchObject({ value: { chain: 'wss://node/' } })
    const onLan = 'http://10.0.0.7:8080/'
    expect(readNetworkFile(file, onLan)).toMatchObject({ value: { buckets: onLan } })
  })

  test.each([undefined, null, 3, [], {}])('names no network: %j', (value) => {
    const detail = expect.stringMatching(/^No network/)
    expect(readNetworkFile(value, base)).toMatchObject({ ok: false, detail })
  })

  it('is refused, with the name of a wrong field', async () => {
    const files = [
      { chain: 3 },
      { chain: '' },
      { chain: 'javascript:1' },
      { chain: 'data:application/json,{}' },
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
      { chain: 'finney', names: { a: 3 } },
    ]
    const lines = files.map((file) => {
      const read = readNetworkFile(file, base)
      if (read.ok) throw new Error(`not refused: ${JSON.stringify(file)}`)
      return `${JSON.stringify(file)}\n  ${read.detail}\n`
    })
    await expect(lines.join('')).toMatchFileSnapshot('snapshots/network-file.txt')
  })

  it('is read without an exception, for any value', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readNetworkFile(value, base).ok).toBeTypeOf('boolean')
        expect(readNetworkFile({ chain: value, names: value }, base).ok).toBeTypeOf('boolean')
      }),
    )
  })
})
