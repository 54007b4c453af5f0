import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type IsOwnVariable, readEnvLines } from '../src/environment.ts'

const ours: IsOwnVariable = (name) => /^(?:AFFINE|CHUTES|S3)_/.test(name)

/** A file, and the variables that it sets, or the numbers of the refused lines. */
type Hostile = readonly [text: string, want: Readonly<Record<string, string>> | readonly number[]]

const DRY = { AFFINE_DRY_RUN: 'true' }
const dry = 'AFFINE_DRY_RUN=true'

/** Returns files whose first line is refused. */
const refusedIn1 = (...texts: readonly string[]): readonly Hostile[] =>
  texts.map((text) => [text, [1]])

/** Files of settings that programs or their releases read differently, or that look identical. */
const HOSTILE: readonly Hostile[] = [
  // Empty lines, and characters before a name.
  [dry, DRY],
  [`\n\n\n${dry}\n\n`, DRY],
  // Node 20 joins a line of blanks, and a tab, to the name in the next line.
  ...refusedIn1(`  \n${dry}`, ` ${dry}`, `\t${dry}`, `\0${dry}`, `\u001b[2K${dry}`),
  [`\n\n\t \n${dry}\n \n`, [3, 5]],
  [`#\r\n \r\n${dry}`, [2]],
  [`\ufeff${dry}`, DRY],
  ...refusedIn1(`\ufeff\ufeff${dry}`),
  [`#\n\ufeff${dry}`, [2]],
  ...['\u00a0', '\f', '\v', '\u0085', '\u1680', '\u2003', '\u200b', '\u2028', '\u2029'].flatMap(
    (blank): Hostile[] => [
      ...refusedIn1(`${blank}${dry}`, `${dry}${blank}`),
      [`#\n${blank}\n${dry}`, [2]],
    ],
  ),
  // Words before the name; the name, and characters around "=".
  ...refusedIn1(`export ${dry}`, 'export', 'AFFINE_DRY_RUN', '=true', '1AFFINE=true'),
  ...refusedIn1('AFFINE_DRY_RUN =true', 'AFFINE_DRY_RUN= true', 'AFFINE_DRY_RUN: true'),
  ...refusedIn1('"AFFINE_DRY_RUN"=true', '\u0410FFINE_DRY_RUN=true', 'AFFINE_DRY_RUN\uff1dtrue'),
  ['AFFINE_DRY_RUN=false\nAFFINE_DRY_RUN=true', DRY],
  // Empty values, and blanks after values.
  [`CHUTES_API_KEY=\n${dry}`, { CHUTES_API_KEY: '', ...DRY }],
  ...refusedIn1(`CHUTES_API_KEY= \n${dry}`, `CHUTES_API_KEY=\t\nS3_SECRET_ACCESS_KEY=s3`),
  ...refusedIn1(`${dry} `, `${dry}\t`, "AFFINE_DRY_RUN='true' "),
  ['CHUTES_API_KEY=\'\'\nAFFINE_DRY_RUN=""', { CHUTES_API_KEY: '', AFFINE_DRY_RUN: '' }],
  // Ends of lines.
  [`#\r\n${dry}\r\n`, DRY],
  ...refusedIn1(`# off\r${dry}`, `${dry}\rAFFINE_EMIT=true`, `# off\u2028${dry}`),
  ...refusedIn1(`# one \\\n${dry}`, `AFFINE_FOLDER=a\\\n${dry}`, `PATH=/bin\\\n${dry}`),
  // Comments.
  ...refusedIn1(`  # a comment\n${dry}`, `; a comment\n${dry}`, `// a comment\n${dry}`),
  ...refusedIn1(`${dry} # a comment`, "AFFINE_DRY_RUN='true' # a comment", 'AFFINE_FOLDER=a#b'),
  // Quotes.
  ['AFFINE_DRY_RUN="true"', DRY],
  ["AFFINE_DRY_RUN='true'", DRY],
  ["AFFINE_FOLDER='a #$b\"`\u00a0\\c'", { AFFINE_FOLDER: 'a #$b"`\u00a0\\c' }],
  ['AFFINE_FOLDER="it\'s"', { AFFINE_FOLDER: "it's" }],
  ...refusedIn1('AFFINE_DRY_RUN=`true`', "AFFINE_FOLDER='a\\'", 'AFFINE_FOLDER="$HOME"'),
  ...refusedIn1('AFFINE_FOLDER=$HOME', 'AFFINE_FOLDER="a\\nb"', "AFFINE_FOLDER='a\tb'"),
  ...refusedIn1(`AFFINE_FOLDER='a\n${dry}`, `AFFINE_FOLDER=\`a\n${dry}`, `PATH='a\n${dry}`),
  ...refusedIn1(`PATH= "a\n${dry}`, "AFFINE_FOLDER='a''b'", "AFFINE_FOLDER='a'b"),
  ...refusedIn1("AFFINE_FOLDER=it's"),
  [`AFFINE_FOLDER="a\n${dry}\nS3_BUCKET=b"`, [1, 3]],
  // Other encodings, and binary files.
  ...refusedIn1(`AFFINE_FOLDER=\ufffd\n${dry}`, '\udc00'),
  // The value of another program's variable only has to end with its line.
  [`PATH=$PATH:/x # mine\nMOTTO=it's "fine"\nNODE_OPTIONS=  --a\t\n${dry}`, DRY],
  ['__proto__=x\nconstructor=y', {}],
  ['AFFINE_FOLDER=two words', { AFFINE_FOLDER: 'two words' }],
  ['AFFINE_FOLDER=a=b;c&d%e!', { AFFINE_FOLDER: 'a=b;c&d%e!' }],
]

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
