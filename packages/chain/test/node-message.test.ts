import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkMetadata, readMessage } from '../src/bittensor/node-message.ts'

const result = (text: string) => readMessage(`{"result":"${text}"}`).result

describe('a message of a node', () => {
  test.each([
    ['printable ASCII', ' ~aZ09{}[]:,', ' ~aZ09{}[]:,'],
    ['escapes of printable ASCII', '\\"\\\\\\/', '"\\/'],
    ['an escaped backslash', '\\\\u0041\\\\n', '\\u0041\\n'],
    ['controls', '\\n\\t\\b\\u0000\\u001B', '?????'],
    ['a printable character, escaped by its code', '\\u0041', '?'],
    ['unescaped controls', '\u0007\u007f\u009b', '???'],
    ['characters of two, three and four bytes', 'é€💥', '???'],
    ['long s, Kelvin', 'ſ\u212a', '??'],
    ['lone surrogates', '\ud800-\\udc00', '?-?'],
    ['half an escape', '\\u12g4', '?12g4'],
  ])('is masked, except printable ASCII and the escapes of ", / and \\: %s', (_, text, want) => {
    expect(result(text)).toBe(want)
  })

  test('equals the JSON value with a question mark for each unprintable character', () => {
    const plain = fc.string({
      unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(plain, fc.string({ unit: 'binary' }))), (texts) => {
        const want = texts.map((text) => text.replace(/[^ -~]/gu, '?'))
        expect(readMessage(JSON.stringify({ result: texts })).result).toEqual(want)
      }),
    )
  })

  test('is refused if it is over 64 KiB long and has an unprintable character', () => {
    const zeros = '0'.repeat(2 ** 16)
    expect(result(zeros)).toBe(zeros)
    for (const text of ['é', '\\n', '\\u0041', '\u0007'])
      expect(() => result(zeros + text)).toThrow('unprintable characters')
  })

  test('is accepted with the calls of a full block, and with lists 63 deep', () => {
    const calls = Array<string>(20_000).fill(`0x${'ab'.repeat(375)}`)
    expect(readMessage(JSON.stringify({ result: calls })).result).toEqual(calls)
    const deep = '['.repeat(63) + ']'.repeat(63)
    expect(JSON.stringify(readMessage(`{"result":${deep}}`).result)).toBe(deep)
  })

  test('is read within 384 MiB if it is full of letters or escapes', () => {
    const program = `
      import { MAX_MESSAGE, readMessage } from '${new URL('../src/bittensor/node-message.ts', import.meta.url)}'
      for (const unit of ['ab', '\\\\"'])
        readMessage('{"result":"' + unit.repeat(MAX_MESSAGE / 2 - 10) + '"}')
    `
    const words = ['--max-old-space-size=384', '--conditions=@affine/source']
    const tsx = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program]
    expect(spawnSync(process.execPath, [...words, ...tsx]).status).toBe(0)
  })
})

const meta = (types: string): string => `6d6574610e${types}`
test.each([
  ['digits', `0x${meta('04')}${'0'.repeat(2 ** 21)}`, /too large: 20971\d\d digits and 1 types/],
  ['types', `0x${meta('0540')}`, /4097 types/],
  ['types, in upper case', `0x${meta('0540').toUpperCase()}`, /4097 types/],
  ['types, in four bytes', `0x01${'02000000'}${meta('06000100')}`, /16385 types/],
  ['types to count', `0x${meta('07ffffffffff')}`, /1099511627775 types/],
  ['types for a safe integer', `0x${meta('0fffffffffffff')}`, /MAX_SAFE_INTEGER/],
  ['types in five bytes', `0x${meta('03ffffffff')}`, /4294967295 types/],
  ['bytes without a header', `0x${'00'.repeat(2 ** 12)}`, /8194 types/],
])('rejects metadata with too many %s', (_, answer, why) => {
  expect(() => checkMetadata('state_getMetadata', [], answer)).toThrow(why)
})
