import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEnvLines } from '../src/environment.ts'
import { HOSTILE, ours } from './hostile-lines.ts'

describe('a file of settings', () => {
  it.each(HOSTILE)('is read, or refused with the numbers of bad lines: %j', (text, want) => {
    const { lines, faults } = readEnvLines(text, ours)
    const given = lines.filter(({ name }) => ours(name)).map(({ name, value }) => [name, value])
    const refused = faults.map((fault) => Number(/^line (\d+): /.exec(fault)?.[1]))
    expect(refused.length > 0 ? refused : Object.fromEntries(given)).toEqual(want)
  })

  it('has faults that quote no value', () => {
    const text = 'CHUTES_API_KEY= s3cret\nexport A=s3cret\ns3\0\nPATH=s3\\\n '
    const { faults } = readEnvLines(text, ours)
    expect(faults).toHaveLength(5)
    expect(faults.join()).not.toContain('s3')
  })

  it('never throws, and each line is read, refused, empty or a comment', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'AFFINE_=\'"`#$\\ \t\r\n', 'export ', '\ufeff', '\u2028'),
      fc.string({ unit: 'binary' }),
    )
    const texts = fc.array(unit).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const { lines, faults } = readEnvLines(text, ours)
        const begun = text.replace(/^\ufeff/, '').split(/\r?\n/)
        const count = begun.filter((line) => !/^(?:#.*)?$/s.test(line)).length
        expect(lines.length + faults.length).toBeGreaterThanOrEqual(count)
        expect(lines.length + faults.length).toBeLessThanOrEqual(begun.length)
      }),
      { numRuns: 2000 },
    )
  })

  it('is read as this release of Node reads it, or refused', () => {
    const part = fc.constantFrom('A=1', 'B=2', "C='3'", '#', ' ', '\t', '\n', '\r\n', '"', 'x')
    const texts = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const { lines, faults } = readEnvLines(text, () => true)
        if (faults.length > 0) return
        const given = Object.fromEntries(lines.map(({ name, value }) => [name, value]))
        // Node 20 reads a comment in a last line without a line feed as a name.
        const read = Object.entries(parseEnv(text)).filter(([name]) => !name.startsWith('#'))
        expect(given).toEqual(Object.fromEntries(read))
      }),
      { numRuns: 5000 },
    )
  })
})
