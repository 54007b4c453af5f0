import { describe, expect, it } from 'vitest'
import {
  boundsOf,
  drawInterval,
  endingText,
  percent,
  percentRange,
  printable,
  share,
  shortHotkey,
  subnetText,
} from '../src/index.ts'

const HOSTILE =
  '\u001b]0;owned\u0007a\u001b[31mb\u009b2Jc\r\nd\u2028e\tf\u202eg\u200bh\ufeffi\ud800j\u{e0041}k\u0000'

describe('text from outside', () => {
  it('is one line without anything that a terminal acts on, or that turns or hides text', () => {
    const shown = printable(HOSTILE)
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    for (const letter of 'abcdefghijk') expect(shown).toContain(letter)
    expect(printable(`${HOSTILE}${HOSTILE}`).split('⏎').length).toBe(5)
  })

  it('is cut to a length', () => {
    expect(printable('x'.repeat(200))).toBe('x'.repeat(200))
    expect(printable('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`)
    expect(printable('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`)
    expect(printable('💥'.repeat(9), 10)).toBe(`${'💥'.repeat(4)}…`)
    expect(printable('💥'.repeat(9), 11)).toBe(`${'💥'.repeat(5)}…`)
  })

  it('may pose as a hotkey: what is shown of it is safe', () => {
    expect(shortHotkey(HOSTILE)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    expect(shortHotkey('5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty')).toBe('5FHneW…94ty')
  })
})

describe('for the eye', () => {
  it('a share has the decimals that it has', () => {
    expect([0, 1, 510_000, 619_500, 1_000_000].map(share)).toEqual([
      '0',
      '0.000001',
      '0.51',
      '0.6195',
      '1',
    ])
    expect(share(25_333_321n)).toBe('25.333321')
    expect(share(999_999_999_999_999n)).toBe('999999999.999999')
  })

  it('a percentage has one decimal at the most', () => {
    expect([0, 510_000, 663_004, 999_950, 1_000_000].map((ppm) => percent(ppm))).toEqual([
      '0 %',
      '51 %',
      '66.3 %',
      '100 %',
      '100 %',
    ])
  })

  it('an interval is never shown narrower than it is', () => {
    expect(percentRange({ lower: 501_960, upper: 600_010 })).toBe('50.1 % to 60.1 %')
  })

  it('a subnet says what competes at what, and for what', () => {
    expect(subnetText(['the multiplication of 8-digit numbers', 'tic-tac-toe'])).toBe(
      'AI models compete at the multiplication of 8-digit numbers and tic-tac-toe: ' +
        'one that clearly beats the champion takes its throne.',
    )
    expect(subnetText(['Hex', 'Go', 'chess'])).toMatch(/^AI models compete at Hex, Go and chess: /)
  })

  it('an interval has the ratio to beat drawn in it, at the ends of the scale too', () => {
    const zSquaredPpm = 4_000_000n
    expect(drawInterval(boundsOf({ wins: 0, trials: 0, zSquaredPpm }), 510_000)).toContain(
      'no decisive trial',
    )
    for (const wins of [0, 1, 50, 99, 100]) {
      for (const ratio of [1, 510_000, 999_999]) {
        const [, cells = '', lower, upper] =
          /^\[(.{30})\] (\d(?:\.\d+)?)…(\d(?:\.\d+)?)$/.exec(
            drawInterval(boundsOf({ wins, trials: 100, zSquaredPpm }), ratio),
          ) ?? []
        expect(cells.indexOf('┃')).toBe(Math.floor((ratio / 1_000_000) * 30))
        expect(Number(lower)).toBeLessThanOrEqual(wins / 100)
        expect(Number(upper)).toBeGreaterThanOrEqual(wins / 100)
      }
    }
  })
})

it.each([
  [
    'crowned',
    507,
    174,
    'took the throne: it won 74.4 % of the 681 .*, clearly more than the 51 % th',
  ],
  ['verdicts', 541, 506, 'failed: it won 51.7 % of the 1047 .*, and chance alone explains that$'],
  ['verdicts', 100, 300, 'failed: it won 25 % of the 400 .*, so the champion is the better one$'],
  ['length', 600, 400, 'failed: it won 60 % of the 1000 .*, and had to beat 51 % clearly$'],
  ['freezing', 0, 0, 'failed, when too few .*: no challenge told the two apart$'],
  ['passed', 600, 400, 'had won as well, but another was better: it won 60 %'],
  [undefined, 5, 5, 'contends: it won 50 % .*chance alone explains that$'],
] as const)('a duel that ended by %s, %i won and %i lost, has a cause', (end, won, lost, text) => {
  expect(endingText({ end }, { won, lost }, 510_000)).toMatch(new RegExp(`^${text}`))
})
