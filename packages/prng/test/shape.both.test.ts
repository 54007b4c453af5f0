import { expect, test } from 'vitest'
import { anyText, hex, list, map, oneOf, pair, record, text, uint, where } from '../src/shape.ts'

const RANGE = 'expected an integer in 0..9'
const point = record({ at: pair(uint(9), uint(9)), name: text('a name', /^[a-z]+$/) }, ['name'])

test.each<[unknown, string | undefined]>([
  [{ at: [0, 9], name: 'a' }, undefined],
  [{ at: [0, 9] }, undefined],
  [{ at: [0, 10] }, `/at/1: ${RANGE}`],
  [{ at: [-1, 10] }, `/at/0: ${RANGE}`],
  [{ at: [0] }, '/at: expected a pair'],
  [{ at: [0, 1, 2] }, '/at: expected a pair'],
  [{ at: { 0: 0, 1: 1, length: 2 } }, '/at: expected a pair'],
  [{ at: [0, 9], name: 'A' }, '/name: expected a name'],
  [{ at: [0, 9], more: 1 }, ': expected no other fields'],
  [JSON.parse('{"at":[0,9],"__proto__":{}}'), ': expected no other fields'],
  [{}, '/at: expected a pair'],
  [[], ': expected an object'],
  [null, ': expected an object'],
  [undefined, ': expected an object'],
])('checks the record %j', (value, wrong) => {
  expect(point(value)).toBe(wrong)
})

test('reports a flaw in a map by index, not by key', () => {
  const counts = map(uint())
  expect(counts({ a: 1, b: 2 })).toBeUndefined()
  expect(counts(JSON.parse('{"a":1,"__proto__":"x"}'))).toMatch(/^\/1: expected an integer in 0/)
  for (const value of [[], [1], null, 'text', 7]) expect(counts(value)).toBe(': expected an object')
})

test('reports limits only if there are any', () => {
  expect(list(uint())({})).toBe(': expected a list')
  expect(list(uint(), 1)([1, 2])).toMatch(/^: expected a list .* 1$/)
  expect(anyText()(1)).toBe(': expected a string')
  expect(anyText(1)('ab')).toMatch(/^: expected a string .* 1 characters$/)
})

test('checks single values', () => {
  expect([0, 1.5, -0, 2 ** 53, '1', null].map((value) => uint()(value) === undefined)).toEqual([
    true,
    false,
    true,
    false,
    false,
    false,
  ])
  expect(hex(1)('0f')).toBeUndefined()
  for (const value of ['0F', '0f0', '0f\n', 15]) expect(hex(1)(value)).toMatch(/^: expected 2 /)
  expect(oneOf('a', 'b')('c')).toBe(': expected one of a, b')
  expect(where('nothing', (value) => value === null)(0)).toBe(': expected nothing')
})
