import { describe, expect, it } from 'vitest'
import {
  describeSubnet,
  drawInterval,
  explainEnd,
  findBounds,
  nameHotkeysBy,
  percent,
  printable,
  shortenHotkey,
} from '../src/index.ts'

const HOSTILE =
  '\u001b]0;owned\u0007a\u001b[31mb\u009b2Jc\r\nd\u2028e\tf\u202eg\u200bh\ufeffi\ud800j\u{e0041}k\u0000'

describe('untrusted text', () => {
  it('becomes one line without control or invisible characters', () => {
    const shown = printable(HOSTILE)
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    for (const letter of 'abcdefghijk') expect(shown).toContain(letter)
    expect(printable(`${HOSTILE}${HOSTILE}`).split('⏎').length).toBe(5)
  })

  it('is safe when shown as a hotkey', () => {
    expect(shortenHotkey(HOSTILE)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    expect(shortenHotkey('5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty')).toBe('5FHneW…94ty')
  })
})

it('rounds a percentage down to one decimal', () => {
  const shares = [0, 510_000, 663_004, 999_950, 1_000_000].map(percent)
  expect(shares).toEqual(['0 %', '51 %', '66.3 %', '99.9 %', '100 %'])
})

it('draws the ratio to beat in an interval, also at the ends of the scale', () => {
  const zSquaredPpm = 4_000_000n
  expect(drawInterval(undefined, 510_000)).toBe('[      nothing decisive        ]')
  for (const wins of [0, 1, 50, 99, 100]) {
    for (const ratio of [1, 510_000, 999_999]) {
      const drawn = drawInterval(findBounds({ wins, trials: 100, zSquaredPpm }), ratio)
      const [, cells = '', lower, upper] =
        /^\[(.{30})\] ([\d.]+) % to ([\d.]+) %$/.exec(drawn) ?? []
      expect(cells.indexOf('┃')).toBe(Math.floor((ratio / 1_000_000) * 30))
      expect(Number(lower)).toBeLessThanOrEqual(wins)
      expect(Number(upper)).toBeGreaterThanOrEqual(wins - 0.1)
    }
  }
})

it('names hotkeys by the own keys of a record, safe for a terminal', () => {
  const nameOf = nameHotkeysBy({ '5A': 'alice', '5B': HOSTILE }, (hotkey) => `${hotkey}?`)
  expect([nameOf('5A'), nameOf('__proto__'), nameOf('5C')]).toEqual(['alice', '__proto__?', '5C?'])
  expect(nameOf('5B')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
})

const ENDINGS = [
  ['crowned', 507, 174],
  ['verdicts', 541, 506],
  ['verdicts', 100, 300],
  ['length', 600, 400],
  ['freezing', 0, 0],
  ['passed', 600, 400],
  [undefined, 5, 5],
] as const

it('explains the end of a duel, and describes a subnet', async () => {
  const endings = ENDINGS.map(([end, won, lost]) => explainEnd({ end }, { won, lost }, 510_000))
  const subnets = [
    ['the multiplication of 8-digit numbers', 'tic-tac-toe'],
    ['Hex', 'Go', 'chess'],
  ]
  const texts = [...subnets.map(describeSubnet), ...endings]
  await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot('snapshots/one-line.txt')
})
