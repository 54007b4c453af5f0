import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOversize, normalise } from '../src/text.ts'

// Text as an attacker would write it: introducers, terminators, halves of pairs and what is
// invisible, close together.
const pieces =
  '\u001b \u009b \u009d \u0090 \u009c \u0007 [ ] \\ P m 0 ; A \r \n \u0085 \u2028 \ud83d \ude00 \u200b \u202e \ufeff \u0000 \t \u{e0041} e\u0301'
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...pieces.split(' '), ' '), fc.string({ unit: 'binary' })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''))

describe('normalise', () => {
  test('is idempotent, and what is left is well-formed, visible, and without controls but LF', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = normalise(text)
        expect(normalise(once)).toBe(once)
        expect(once.replaceAll('\n', '')).not.toMatch(
          /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u,
        )
      }),
      { numRuns: 20_000 },
    )
  })

  test('works line by line: nothing reaches over a line end', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        expect(normalise(`${a}\n${b}`).endsWith(`\n${normalise(b)}`)).toBe(true)
      }),
    )
  })

  test('leaves visible text alone, composed or not', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'aé1Ａ😀\n', 'e\u0301', '\u00a0') }),
        (text) => {
          expect(normalise(text)).toBe(text)
        },
      ),
    )
  })

  test.each([
    '\u001b[',
    '\u001b]',
    '\u001b ',
    '\u009b0',
    '\u001b[0;',
    '\u001bP\u001b',
    '\r\u001b',
    '\ud800',
  ])('a megabyte of %j takes no more than linear time', (unit) => {
    // Quadratic matching would run into the suite's time limit here.
    expect(normalise(unit.repeat(2 ** 20 / unit.length)).length).toBeLessThanOrEqual(2 ** 20)
  })
})

test('oversize counts bytes of UTF-8', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('x', 'é', '€', '😀', '\ud800'),
      fc.integer({ min: 1000, max: 4100 }),
      (unit, count) => {
        const text = unit.repeat(count)
        expect(isOversize(text)).toBe(Buffer.byteLength(text) > 4096)
      },
    ),
  )
})
