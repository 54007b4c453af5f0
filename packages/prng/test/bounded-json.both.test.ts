import { expect, it } from 'vitest'
import { parseBounded } from '../src/index.ts'

const BOUNDS = { items: 5, depth: 3 }

it.each(['[1,2,3,4,5]', '[[],[],0]', '[[[]],{}]', '[{"a":{"b":0}}]', '{"a":1}', '7', '"[[[[[[["'])(
  'reads %s, which is within the bounds',
  (text) => expect(parseBounded(text, BOUNDS)).toEqual(JSON.parse(text)),
)

it.each(['[1,2,3,4,5,6]', '[[],[],[],{}]', '[[[[', '{"a":{"b":{"c":{}}}}', '[{},{},[]'])(
  'rejects %s, which exceeds the bounds',
  (text) => expect(() => parseBounded(text, BOUNDS)).toThrow(RangeError),
)

it.each(['"[,[,[,[,"', '"\\"[,[,[,[,"', '"\\\\\\"[,[,[,[,"', '"\\u0022[,[,[,"'])(
  'counts nothing in the string %s',
  (text) => expect(parseBounded(text, BOUNDS)).toBe(JSON.parse(text)),
)

it.each(['"\\\\",,,,,,', '["a",,,,,,"'])('counts what follows the string in %s', (text) =>
  expect(() => parseBounded(text, BOUNDS)).toThrow(RangeError),
)

it.each(['', '[1', '"a', '"\\', ']]]', '{"a":NaN}'])('rejects %j, which is not JSON', (text) =>
  expect(() => parseBounded(text, BOUNDS)).toThrow(SyntaxError),
)
