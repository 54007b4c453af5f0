import { canonicalize, type Json, parseCanonical } from '@affine/prng'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/prng/canonical-json.json' with { type: 'json' }
import { anyJson } from './any-json.ts'

const errors = { TypeError, RangeError }
test.each(vectors)(
  'canonicalize and parseCanonical agree with the vector: $what',
  ({ input, want }) => {
    if (want.code !== undefined) {
      expect(parseCanonical(input)).toMatchObject({ ok: false, code: want.code })
      if (want.error !== undefined) {
        expect(() => canonicalize(JSON.parse(input))).toThrow(
          errors[want.error as keyof typeof errors],
        )
      }
      return
    }
    const value = JSON.parse(input)
    expect(canonicalize(value)).toBe(want.text)
    expect(parseCanonical(want.text ?? '')).toEqual({ ok: true, value })
    if (input !== want.text)
      expect(parseCanonical(input)).toMatchObject({ ok: false, code: 'NOT_CANONICAL' })
  },
)

describe('canonicalize', () => {
  class Point {
    x = 1
  }
  const cycle: unknown[] = []
  cycle.push(cycle)
  const refused: [string, unknown, string][] = [
    ['undefined', undefined, 'got undefined'],
    ['an undefined member', { a: undefined }, 'got undefined'],
    ['null', null, 'got null'],
    ['a bigint', 1n, 'got bigint'],
    ['a function', () => 1, 'got function'],
    ['a symbol', Symbol('x'), 'got symbol'],
    ['a hole', new Array(1), 'got undefined'],
    ['NaN', Number.NaN, 'got NaN'],
    ['-0', -0, 'got -0'],
    ['an object of a class', new Point(), 'got an object of'],
    ['a Date', new Date(0), 'got an object of'],
    ['a boxed string', Object('x'), 'got an object of'],
    ['bytes', new Uint8Array(2), 'got an object of'],
    ['an object that inherits', Object.create({ a: 1 }), 'got an object of'],
    ['a method toJSON', { toJSON: () => 1 }, 'got function'],
    ['a cycle', cycle, 'a depth of at most 16'],
  ]

  test.each(refused)('rejects %s', (_, value, message) => {
    expect(() => canonicalize(value as Json)).toThrow(message)
  })

  test('writes a text that reads back as the same value', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(parseCanonical(canonicalize(value))).toEqual({ ok: true, value })
      }),
    )
  })

  test('ignores the order in which keys were added', () => {
    const reversed = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object') return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, reversed(member)]),
      )
    }
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(canonicalize(reversed(value))).toBe(canonicalize(value))
      }),
    )
  })
})

describe('parseCanonical', () => {
  test('accepts only the canonical text of a value, and never throws', () => {
    const altered = fc
      .tuple(
        anyJson.map(canonicalize),
        fc.nat(),
        fc.string({ unit: 'binary', maxLength: 2 }),
        fc.nat({ max: 2 }),
      )
      .map(
        ([text, at, put, cut]) =>
          text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut),
      )
    fc.assert(
      fc.property(fc.oneof(altered, fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const result = parseCanonical(text)
        if (result.ok) expect(canonicalize(result.value)).toBe(text)
        else expect(result.detail).toMatch(/^[ -~±]+$/)
      }),
      { numRuns: 2000 },
    )
  })

  test('rejects keys out of order, also where engines sort them', () => {
    const key = fc.oneof(
      fc.nat({ max: 30 }).map(String),
      fc.constantFrom('', '-1', '01', 'a', '1a', '4294967295', '4294967294', 'é', '__proto__'),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat()), { maxLength: 4 }), (members) => {
        const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
        const names = members.map(([name]) => name)
        const isCanonical = names.every((name, i) => i === 0 || names[i - 1]! < name)
        expect([text, parseCanonical(text).ok]).toEqual([text, isCanonical])
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ...['{"b":1,"1":2}', '{"a":1,"a":1}', '{"a":1e0}', '[1E2]', '[1.0]', '[-0]', '[1 ]', ' 1'],
    ...['"\\/"', '"\\u0041"', '"\\u001F"', '{"a":true,"b":1e0}', '["\\\\\\"",1.0]'],
  ])('rejects %s', (text) => {
    JSON.parse(text)
    expect(parseCanonical(text)).toMatchObject({ ok: false, code: 'NOT_CANONICAL' })
  })

  test.each([
    ...['{"a":true,"b":false}', '"\\\\u"', '"\\\\\\"e1.0 "', '["\\\\",1]', '"\\u001f"', '{}', '0'],
  ])('accepts %s', (text) => expect(parseCanonical(text)).toMatchObject({ ok: true }))

  test.each([
    ['open arrays', '['.repeat(1e6), 'NOT_JSON'],
    ['arrays', '['.repeat(1e6) + ']'.repeat(1e6), 'NOT_CANONICAL'],
    ['open objects', '{"a":'.repeat(1e6), 'NOT_JSON'],
    ['objects', `${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}`, 'NOT_CANONICAL'],
  ])('rejects a million nested %s', (_, text, code) => {
    expect(parseCanonical(text)).toMatchObject({ ok: false, code })
  })

  test.each([
    ['{"a":null}', 'got null'],
    ['[1.5]', 'got 1.5'],
    ['"\\ud800"', 'without lone surrogates'],
    ['{"b":1,"a":2}', 'the text differs from the canonical text of its value'],
  ])('reports why %s is not canonical', (text, detail) => {
    expect(parseCanonical(text)).toEqual({
      ok: false,
      code: 'NOT_CANONICAL',
      detail: expect.stringContaining(detail),
    })
  })
})
