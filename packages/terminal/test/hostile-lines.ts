import type { IsOwnVariable } from '../src/environment.ts'

export const ours: IsOwnVariable = (name) => /^(?:AFFINE|CHUTES|S3)_/.test(name)

/** A file, and the variables that it sets, or the numbers of the refused lines. */
type Hostile = readonly [text: string, want: Readonly<Record<string, string>> | readonly number[]]

const DRY = { AFFINE_DRY_RUN: 'true' }
const dry = 'AFFINE_DRY_RUN=true'

/** Files of settings that programs or their releases read differently, or that look identical. */
export const HOSTILE: readonly Hostile[] = [
  // Empty lines, and characters before a name.
  [dry, DRY],
  [`\n\n\n${dry}\n\n`, DRY],
  // Node 20 joins a line of blanks, and a tab, to the name in the next line.
  [`  \n${dry}`, [1]],
  [`\n\n\t \n${dry}\n \n`, [3, 5]],
  [`#\r\n \r\n${dry}`, [2]],
  [` ${dry}`, [1]],
  [`\t${dry}`, [1]],
  [`\ufeff${dry}`, DRY],
  [`\ufeff\n${dry}`, DRY],
  [`\ufeff\ufeff${dry}`, [1]],
  [`#\n\ufeff${dry}`, [2]],
  ...['\u00a0', '\f', '\v', '\u0085', '\u1680', '\u2003', '\u200b', '\u2028', '\u2029'].flatMap(
    (blank): Hostile[] => [
      [`${blank}${dry}`, [1]],
      [`#\n${blank}\n${dry}`, [2]],
      [`${dry}${blank}`, [1]],
    ],
  ),
  [`\u3000${dry}`, [1]],
  [`\0${dry}`, [1]],
  [`\u001b[2K${dry}`, [1]],
  // Words before the name.
  [`export ${dry}`, [1]],
  [`export  ${dry}`, [1]],
  [`export\t${dry}`, [1]],
  [`\texport ${dry}`, [1]],
  [`export\u00a0${dry}`, [1]],
  [`EXPORT ${dry}`, [1]],
  [`set ${dry}`, [1]],
  ['export', [1]],
  // The name, and characters around "=".
  ['AFFINE_DRY_RUN =true', [1]],
  ['AFFINE_DRY_RUN= true', [1]],
  ['AFFINE_DRY_RUN\t=\ttrue', [1]],
  ['AFFINE_DRY_RUN: true', [1]],
  ['AFFINE_DRY_RUN', [1]],
  ['AFFINE_DRY_RUN true', [1]],
  ['=true', [1]],
  ['1AFFINE=true', [1]],
  ['"AFFINE_DRY_RUN"=true', [1]],
  ['\u0410FFINE_DRY_RUN=true', [1]],
  ['AFFINE_DRY_RUN\uff1dtrue', [1]],
  ['AFFINE_DRY_RUN=false\nAFFINE_DRY_RUN=true', DRY],
  // Empty values, and blanks after values.
  [`CHUTES_API_KEY=\n${dry}`, { CHUTES_API_KEY: '', ...DRY }],
  [`CHUTES_API_KEY= \n${dry}`, [1]],
  [`CHUTES_API_KEY=\t\nS3_SECRET_ACCESS_KEY=s3`, [1]],
  [`${dry} `, [1]],
  [`${dry}\t`, [1]],
  ["AFFINE_DRY_RUN='true' ", [1]],
  ['CHUTES_API_KEY=\'\'\nAFFINE_DRY_RUN=""', { CHUTES_API_KEY: '', AFFINE_DRY_RUN: '' }],
  // Ends of lines.
  [`#\r\n${dry}\r\n`, DRY],
  [`# off\r${dry}`, [1]],
  [`${dry}\rAFFINE_EMIT=true`, [1]],
  [`${dry}\r`, [1]],
  [`# off\u2028${dry}`, [1]],
  [`# one \\\n${dry}`, [1]],
  [`AFFINE_FOLDER=a\\\n${dry}`, [1]],
  [`PATH=/bin\\\n${dry}`, [1]],
  // Comments.
  [`  # a comment\n${dry}`, [1]],
  [`; a comment\n${dry}`, [1]],
  [`// a comment\n${dry}`, [1]],
  [`${dry} # a comment`, [1]],
  ["AFFINE_DRY_RUN='true' # a comment", [1]],
  ['AFFINE_FOLDER=a#b', [1]],
  // Quotes.
  ['AFFINE_DRY_RUN="true"', DRY],
  ["AFFINE_DRY_RUN='true'", DRY],
  ['AFFINE_DRY_RUN=`true`', [1]],
  ["AFFINE_FOLDER='a #$b\"`\u00a0\\c'", { AFFINE_FOLDER: 'a #$b"`\u00a0\\c' }],
  ["AFFINE_FOLDER='a\\'", [1]],
  ['AFFINE_FOLDER="it\'s"', { AFFINE_FOLDER: "it's" }],
  ['AFFINE_FOLDER="$HOME"', [1]],
  ['AFFINE_FOLDER=$HOME', [1]],
  ['AFFINE_FOLDER="a\\nb"', [1]],
  ["AFFINE_FOLDER='a\tb'", [1]],
  [`AFFINE_FOLDER='a\n${dry}`, [1]],
  [`AFFINE_FOLDER="a\n${dry}\nS3_BUCKET=b"`, [1, 3]],
  [`AFFINE_FOLDER=\`a\n${dry}`, [1]],
  [`PATH='a\n${dry}`, [1]],
  [`PATH= "a\n${dry}`, [1]],
  ["AFFINE_FOLDER='a''b'", [1]],
  ["AFFINE_FOLDER='a'b", [1]],
  ["AFFINE_FOLDER=it's", [1]],
  // Other encodings, and binary files.
  [`\ufffd\ufffdA\0F\0`, [1]],
  [`AFFINE_FOLDER=\ufffd\n${dry}`, [1]],
  ['\udc00', [1]],
  // The value of another program's variable only has to end with its line.
  [`PATH=$PATH:/x # mine\nMOTTO=it's "fine"\nNODE_OPTIONS=  --a\t\n${dry}`, DRY],
  ['__proto__=x\nconstructor=y', {}],
  ['AFFINE_FOLDER=two words', { AFFINE_FOLDER: 'two words' }],
  ['AFFINE_FOLDER=a=b;c&d%e!', { AFFINE_FOLDER: 'a=b;c&d%e!' }],
]
