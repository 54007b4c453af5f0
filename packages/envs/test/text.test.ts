import { blake3, canonicalize } from '@affine/prng'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractAnswer, isRecorded, normalise, recordReply } from '../src/text.ts'

// Text by an attacker: starts and ends of escape sequences, halves of surrogate pairs, line ends,
// and invisible characters.
const pieces =
  '\u001b \u009b \u009d \u0090 \u009c \u0007 [ ] \\ P m 0 ; A \r \n \u0085 \u2028 \ud83d \ude00 \u200b \u202e \ufeff \u0000 \t \u{e0041} e\u0301'
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...pieces.split(' '), ' '), fc.string({ unit: 'binary' })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''))

const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u

describe('normalise', () => {
  test('is idempotent, and leaves well-formed, visible text without controls except LF', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = normalise(text)
        if (normalise(once) !== once || HIDDEN.test(once.replaceAll('\n', '')))
          expect.fail(JSON.stringify([once, normalise(once)]))
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ...['\u001b[', '\u001b]', '\u001b ', '\u009b0', '\u001b[0;', '\u001bP\u001b', '\r\u001b'],
    '\ud800',
  ])('normalises a megabyte of %j in linear time', (unit) => {
    // Quadratic matching would exceed the suite's time limit.
    expect(normalise(unit.repeat(2 ** 20 / unit.length)).length).toBeLessThanOrEqual(2 ** 20)
  })
})

/** Generates long replies, of an attacker's text and of text with many bytes in JSON. */
const long = fc
  .array(
    fc.tuple(
      fc.oneof(hostile, fc.constantFrom('"', '\\', '\n', 'x', '€', '😀', 'a\n')),
      fc.nat(300),
    ),
  )
  .map((parts) => parts.map(([text, times]) => text.repeat(times)).join(''))

/** A longest reply that is recorded whole, and two replies of one byte more. */
const EDGES: [string][] = [['x'.repeat(640)], ['x'.repeat(641)], [`${'x'.repeat(639)}é`]]

const lastLineOf = (text: string): string => text.slice(text.lastIndexOf('\n') + 1)

/** Returns the bytes of canonical JSON text without quotes. Protocol §1.1. */
const bytesOf = (text: string): number => Buffer.byteLength(canonicalize(text)) - 2

describe('a recorded reply', () => {
  test('is a short normalised reply, or the end of a long one with the hash of the rest', () => {
    fc.assert(
      fc.property(long, (reply) => {
        const [text, whole] = [recordReply(reply), normalise(reply)]
        expect(bytesOf(text)).toBeLessThanOrEqual(640)
        expect([recordReply(text), normalise(text), isRecorded(text)]).toEqual([text, text, true])
        const isShort = bytesOf(whole) <= 640
        expect(isRecorded(reply)).toBe(isShort && reply === whole)
        if (isShort) {
          expect(text).toBe(whole)
          return
        }
        const [, count, hash, tail = ''] =
          /^\[(\d+) bytes, ([0-9a-f]{64})\]\n(.*)$/s.exec(text) ?? []
        expect(whole.endsWith(tail)).toBe(true)
        const left = Buffer.from(whole.slice(0, whole.length - tail.length))
        const want = Buffer.from(blake3(left)).toString('hex')
        expect([Number(count), hash]).toEqual([left.length, want])
      }),
      { examples: EDGES },
    )
  })

  test('has as many whole lines as fit, or the longest end of the last line', () => {
    fc.assert(
      fc.property(long, (reply) => {
        const whole = normalise(reply)
        fc.pre(bytesOf(whole) > 640)
        const tail = recordReply(reply).replace(/^.*\n/, '')
        const left = whole.slice(0, whole.length - tail.length)
        expect(bytesOf(tail)).toBeLessThanOrEqual(544)
        if (bytesOf(lastLineOf(whole)) <= 544) {
          const line = lastLineOf(left.slice(0, -1))
          expect([left.at(-1), lastLineOf(tail)]).toEqual(['\n', lastLineOf(whole)])
          expect(bytesOf(`${line}\n${tail}`)).toBeGreaterThan(544)
        } else {
          expect([left.isWellFormed(), tail.includes('\n')]).toEqual([true, false])
          expect(bytesOf(`${[...left].at(-1)}${tail}`)).toBeGreaterThan(544)
        }
      }),
      { examples: EDGES },
    )
  })
})

describe('the answer of a reply', () => {
  const inner = fc.string({ unit: fc.constantFrom(...'AB12,. ()[]'), minLength: 1, maxLength: 8 })
  const signs = fc.constantFrom(
    ...(['*', '**', '_', '__', '`', '"', '$', '$$'] as const).map((sign) => [sign, sign] as const),
    ...([
      ['\\(', '\\)'],
      ['\\[', '\\]'],
      ['\\boxed{', '}'],
      ['\\text{', '}'],
    ] as const),
  )
  const blanks = fc.constantFrom('', ' ', '  ')
  const dressing = fc.array(fc.tuple(blanks, signs, fc.constantFrom('', ' ', '.', ' . ', '...')))
  const messy = fc
    .array(
      fc.oneof(
        signs.map((pair) => pair[0]),
        signs.map((pair) => pair[1]),
        inner,
        fc.constantFrom(' ', '.', '\n', '{', '}', '\\'),
      ),
    )
    .map((parts) => parts.join(''))

  test('is the same in any enclosing pairs', () => {
    fc.assert(
      fc.property(
        inner,
        dressing,
        fc.constantFrom('', 'So:\n', 'A1\n \n'),
        (text, layers, before) => {
          const dressed = layers.reduce(
            (all, [blank, [first, last], end]) => `${blank}${first}${all}${last}${end}`,
            text,
          )
          const answer = extractAnswer(/[^ ]/.test(dressed) ? text : before)
          expect(extractAnswer(`${before}${dressed}\n \n`)).toBe(answer)
        },
      ),
    )
  })

  test('is part of one line of the text, and is idempotent', () => {
    fc.assert(
      fc.property(fc.oneof(messy, hostile), (text) => {
        const answer = extractAnswer(text)
        const lines = text.split('\n').filter((each) => each.replaceAll(' ', '') !== '')
        const line = lines.at(-1) ?? ''
        const at = line.indexOf(answer)
        const gone = line.slice(0, at) + line.slice(at + answer.length)
        const left = gone.replaceAll(/\\(boxed\{|text\{|[()[\]])|[*_`"$} .]/g, '')
        const whole = /[*_`"$\\{}]/.test(answer)
          ? line.replace(/^ +/, '').replace(/ +$/, '')
          : answer
        const again = extractAnswer(answer)
        const isBare = !answer.includes('\n') && !answer.startsWith(' ')
        if (again !== answer || !isBare || at < 0 || left !== '' || whole !== answer)
          expect.fail(JSON.stringify({ answer, again, at, left, whole }))
      }),
      { numRuns: 2000 },
    )
  })

  test.each(['*', ' .', '. ', '\\(', '" ', '\n ', '\\boxed{', '$', '*a'])(
    'is extracted from a megabyte of %j in linear time',
    (unit) => {
      const text = unit.repeat(2 ** 20 / unit.length)
      const end = { '\\(': '\\)', '\\boxed{': '}' }[unit] ?? unit
      expect(extractAnswer(text + end.repeat(2 ** 20 / unit.length)).length).toBeLessThanOrEqual(
        2 ** 21,
      )
    },
  )
})
