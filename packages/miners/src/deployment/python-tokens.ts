import { quoted, SourceRefusal } from './source-refusal.ts'

const MOST_BYTES = 32 * 1024
const MOST_LINES = 1000
const MOST_TOKENS = 600
const MOST_DEPTH = 8

/**
 * The few tokens of Python that may stand in a source, each as Python reads it: comments, names,
 * numbers, texts without a prefix, with the escapes \n \t \\ \" \' alone, and what joins them.
 */
const TOKEN = new RegExp(
  [
    String.raw`(?<blank>[ \t]+|\r?\n|#[^\r\n]*)`,
    `(?<name>[A-Za-z_][A-Za-z0-9_]*(?!["']))`,
    String.raw`(?<number>(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?![\w.]))`,
    String.raw`(?<text>"""(?:(?!""")[^\\]|\\[nt\\"'])*"""|'''(?:(?!''')[^\\]|\\[nt\\"'])*''')`,
    String.raw`(?<line>"(?!"")(?:[^"\\\r\n]|\\[nt\\"'])*"|'(?!'')(?:[^'\\\r\n]|\\[nt\\"'])*')`,
    String.raw`(?<mark>[()[\]=,.])`,
  ].join('|'),
  'y',
)
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/
/** A comment that would have Python read the file in another encoding: PEP 263. */
const COOKIE = /^(?:[^\n]*\n)?[^\n#]*#[^\n]*coding[:=]/

/** A token and where it begins. */
export interface Token {
  readonly text: string
  readonly from: number
}

/**
 * The tokens of a source without blanks and comments. Everything is refused that Python could read
 * in another way: encodings, control characters, continued lines, prefixes, other escapes.
 * @throws SourceRefusal
 */
export function tokensOf(source: string): readonly Token[] {
  expectReadable(source)
  const tokens: Token[] = []
  let depth = 0
  for (let from = 0; from < source.length; from = TOKEN.lastIndex) {
    const found = tokenAt(source, from)
    if (found.isBlank) continue
    tokens.push({ text: found.text, from })
    if (/^[([]$/.test(found.text)) depth += 1
    if (/^[)\]]$/.test(found.text)) depth -= 1
    if (depth > MOST_DEPTH)
      throw new SourceRefusal('TOO_DEEP', from, 'too many brackets in brackets')
    if (tokens.length > MOST_TOKENS)
      throw new SourceRefusal('TOO_LARGE', from, `more than ${MOST_TOKENS} words and marks`)
  }
  return tokens
}

function expectReadable(source: string): void {
  if (new TextEncoder().encode(source).length > MOST_BYTES)
    throw new SourceRefusal('TOO_LARGE', 0, `more than ${MOST_BYTES} bytes`)
  if (source.split('\n', MOST_LINES + 1).length > MOST_LINES)
    throw new SourceRefusal('TOO_LARGE', 0, `more than ${MOST_LINES} lines`)
  const control = CONTROL.exec(source)
  if (control !== null)
    throw new SourceRefusal('ENCODING', control.index, 'a control character stands there')
  const cookie = COOKIE.exec(source)
  if (cookie !== null)
    throw new SourceRefusal('ENCODING', cookie[0].length - 1, 'a comment names an encoding')
}

function tokenAt(
  source: string,
  from: number,
): { readonly text: string; readonly isBlank: boolean } {
  TOKEN.lastIndex = from
  const match = TOKEN.exec(source)
  if (match === null) {
    const rest = source.slice(from, from + 20).split('\n', 1)[0] ?? ''
    throw new SourceRefusal('TOKEN', from, `no import and no literal has ${quoted(rest)}`)
  }
  return { text: match[0], isBlank: match.groups?.blank !== undefined }
}
