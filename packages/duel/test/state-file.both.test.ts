import { canonicalize, type Json } from '@affine/prng'
import { describe, expect, it, test } from 'vitest'
import vectors from '../../../vectors/duel/states.json' with { type: 'json' }
import { decide, encodeState, firstState, PROTOCOL, parseState, stateRoot } from '../src/index.ts'
import { epochOf } from './subnet.ts'

const base = vectors.base as unknown as Json

/** Returns a copy with the value `to` at a path of keys, or without a value there. */
function edit(value: Json, [key, ...rest]: readonly string[], to: Json | undefined): Json {
  if (key === undefined) return to ?? ''
  if (Array.isArray(value)) return value.map((x, i) => (String(i) === key ? edit(x, rest, to) : x))
  const entries = Object.entries(value).filter(([name]) => name !== key)
  const old = (value as Record<string, Json>)[key]
  const edited = rest.length > 0 ? edit(old ?? {}, rest, to) : to
  return Object.fromEntries(edited === undefined ? entries : [...entries, [key, edited]])
}

test('reads a valid state unchanged', () => {
  const text = canonicalize(base)
  const read = parseState(text)
  if (!read.ok) throw new Error(read.detail)
  expect(encodeState(read.value)).toBe(text)
  expect(stateRoot(read.value)).toBe(vectors.root)
  expect(() => decide(read.value, epochOf(read.value))).not.toThrow()
})

test('reads a state without a champion, and a minimum of trials equal to the cap', () => {
  for (const protocol of [PROTOCOL, { ...PROTOCOL, minTrials: PROTOCOL.cap }]) {
    const state = firstState(protocol, 7)
    expect(parseState(encodeState(state))).toEqual({ ok: true, value: state })
  }
})

describe('rejects', () => {
  it.each(vectors.edits)('$path: $what', ({ path, to, detail }) => {
    const text = canonicalize(edit(base, path.split(' '), to as Json | undefined))
    expect(parseState(text)).toEqual({ ok: false, code: 'BAD_STATE', detail })
  })

  it.each(vectors.texts)('$what', ({ text, edits = [] }) => {
    const edited = edits.reduce((text, [from = '', to = '']) => {
      expect(text).toContain(from)
      return text.replace(from, to)
    }, canonicalize(base))
    expect(parseState(text ?? edited)).toMatchObject({ ok: false, code: 'BAD_STATE' })
  })

  it('an invalid entry `__proto__`, without changing the prototype of objects', () => {
    const text = canonicalize(base).replace('"trust":{', '"trust":{"__proto__":{"polluted":1},')
    expect(parseState(text)).toMatchObject({ ok: false, code: 'BAD_STATE' })
    expect({}).not.toHaveProperty('polluted')
  })
})

test('reads hotkeys with the names of inherited properties like any other', () => {
  const trust = JSON.parse(
    '{"__proto__":{"correct":1,"incorrect":0},"constructor":{"correct":2,"incorrect":0}}',
  )
  const read = parseState(canonicalize(edit(base, ['trust'], trust)))
  expect(read.ok && Object.keys(read.value.trust)).toEqual(['__proto__', 'constructor'])
})
