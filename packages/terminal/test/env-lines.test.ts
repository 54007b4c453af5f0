import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEnvFile } from '../src/environment.ts'

/** A file, and the variables that it sets, or the number of the refused line. */
type Hostile = readonly [text: string, want: Readonly<Record<string, string>> | number]

const DRY = { AFFINE_DRY_RUN: 'true' }
const dry = 'AFFINE_DRY_RUN=true'

/** Returns files whose first line is refused. */
const refusedIn1 = (...texts: readonly string[]): readonly Hostile[] =>
  texts.map((text) => [text, 1])

/** Files of settings that programs or their releases read differently, or that look identical. */
const HOSTILE: readonly Hostile[] = [
  // Characters before a name.
  [`\n\n\t \n${dry}\n \n`, DRY],
  ...refusedIn1(` ${dry}`, `\t${dry}`, `\0${dry}`),
  [`\ufeff${dry}`, DRY],
  ...refusedIn1(`\ufeff\ufeff${dry}`),
  [`#\n\ufeff${dry}`, 2],
  ...['\u00a0', '\f', '\v', '\u0085', '\u1680', '\u2003', '\u200b', '\u2028', '\u2029'].flatMap(
    (blank) => refusedIn1(`${blank}${dry}`, `${dry}${blank}`),
  ),
  // Words before the name; the name, and characters around "=".
  ...refusedIn1(`export ${dry}`, 'AFFINE_DRY_RUN', '"AFFINE_DRY_RUN"=true', `; ${dry}`),
  ...refusedIn1('AFFINE_DRY_RUN =true', 'AFFINE_DRY_RUN= true', 'AFFINE_DRY_RUN: true'),
  ['AFFINE_DRY_RUN=false\nAFFINE_DRY_RUN=true', DRY],
  // Empty values, and blanks after values.
  [`CHUTES_API_KEY=\n${dry}`, { CHUTES_API_KEY: '', ...DRY }],
  ...refusedIn1(`CHUTES_API_KEY= \n${dry}`, `CHUTES_API_KEY=\t\nS3_SECRET_ACCESS_KEY=s3`),
  ...refusedIn1(`${dry} `, `${dry}\t`, "AFFINE_DRY_RUN='true' "),
  ['CHUTES_API_KEY=\'\'\nAFFINE_DRY_RUN=""', { CHUTES_API_KEY: '', AFFINE_DRY_RUN: '' }],
  // Ends of lines.
  [`#\r\n${dry}\r\n`, DRY],
  ...refusedIn1(`${dry}\rAFFINE_EMIT=true`, `AFFINE_FOLDER=a\\\n${dry}`),
  // Comments.
  [`# off: ${dry}\n#${dry}`, {}],
  ...refusedIn1(`${dry} # a comment`, "AFFINE_DRY_RUN='true' # a comment", 'AFFINE_FOLDER=a#b'),
  // Quotes.
  ['AFFINE_DRY_RUN="true"', DRY],
  ["AFFINE_DRY_RUN='true'", DRY],
  ["AFFINE_FOLDER='a #$b\"`\u00a0\\c'", { AFFINE_FOLDER: 'a #$b"`\u00a0\\c' }],
  ['AFFINE_FOLDER="it\'s"', { AFFINE_FOLDER: "it's" }],
  ...refusedIn1('AFFINE_DRY_RUN=`true`', "AFFINE_FOLDER='a\\'", 'AFFINE_FOLDER="$HOME"'),
  ...refusedIn1('AFFINE_FOLDER=$HOME', 'AFFINE_FOLDER="a\\nb"', "AFFINE_FOLDER='a\tb'"),
  ...refusedIn1(`AFFINE_FOLDER='a\n${dry}`, `AFFINE_FOLDER=\`a\n${dry}`, "AFFINE_FOLDER=it's"),
  ...refusedIn1("AFFINE_FOLDER='a''b'", "AFFINE_FOLDER='a'b"),
  [`AFFINE_FOLDER="a\n${dry}\nS3_BUCKET=b"`, 1],
  // A file that is not UTF-8.
  ...refusedIn1('AFFINE_FOLDER=\ufffd'),
  // Other programs' variables.
  [`PATH=$PATH:/x # mine\nexport MOTTO=it's "fine"\nNODE_OPTIONS=  --a\t\n${dry}`, DRY],
  ['__proto__=x\nMY_S3_KEY = y', {}],
  ['AFFINE_FOLDER=two words', { AFFINE_FOLDER: 'two words' }],
  ['AFFINE_FOLDER=a=b;c&d%e!', { AFFINE_FOLDER: 'a=b;c&d%e!' }],
]

/** Returns the variables of a file, or the number of the refused line. */
function read(text: string): Hostile[1] {
  try {
    return parseEnvFile(text) as Readonly<Record<string, string>>
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError)
    return Number(/^\.env, line (\d+): /.exec((error as Error).message)?.[1])
  }
}

describe('a file of settings', () => {
  it.each(HOSTILE)('is read, or refused with the number of a line: %j', (text, want) => {
    expect(read(text)).toEqual(want)
  })

  it('is refused without its values', () => {
    const parse = () => parseEnvFile('CHUTES_API_KEY= s3cret')
    expect(parse).toThrow(/^(?!.*s3cret)/s)
  })

  it('is read as this release of Node reads it, or refused', () => {
    const part = fc.constantFrom('A=1', 'B=2', "C='3'", '#', ' ', '\t', '\r', '"', 'x')
    const lines = fc.array(part, { maxLength: 12 }).map((parts) => `S3_${parts.join('')}`)
    const texts = fc.array(lines, { maxLength: 3 }).map((all) => all.join('\n'))
    fc.assert(
      fc.property(texts, (text) => {
        const given = read(text)
        if (typeof given === 'number') return
        const inNode = Object.entries(parseEnv(text)).filter(([name]) => name.startsWith('S3_'))
        expect(given).toEqual(Object.fromEntries(inNode))
      }),
      { numRuns: 5000 },
    )
  })
})
