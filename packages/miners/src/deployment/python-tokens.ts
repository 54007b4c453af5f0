import { own } from '@affine/prng'

/** The reason for which a deployment's source is refused. Protocol §5.4. */
export type SourceFault =
  | 'TOO_LARGE'
  | 'TOO_DEEP'
  | 'ENCODING'
  | 'TOKEN'
  | 'SYNTAX'
  | 'STATEMENT'
  | 'IMPORT'
  | 'NO_CALL'
  | 'SECOND_CALL'
  | 'ARGUMENT'
  | 'REPEATED'
  | 'LITERAL'
  | 'MODEL'
  | 'REVISION'
  | 'IMAGE'
  | 'ENGINE_ARGUMENT'

/** A refusal of a source. Only the readers of a source throw it, and `readTemplate` catches it. */
export class SourceRefusal extends Error {
  readonly code: SourceFault
  /** Position in the source. */
  readonly at: number
  constructor(code: SourceFault, at: number, message: string) {
    super(message)
    this.code = code
    this.at = at
  }
}

const QUOTE_LENGTH = 60

/** Returns an untrusted text for a message: short, and harmless to a terminal. */
export function quote(text: string): string {
  const short = text.length > QUOTE_LENGTH ? `${text.slice(0, QUOTE_LENGTH)}…` : text
  return JSON.stringify(short.replace(/[^ -~…]/g, '?'))
}

const MAX_BYTES = 32 * 1024
const MAX_LINES = 1000
const MAX_TOKENS = 600
const MAX_DEPTH = 8

const HEX = '[0-9A-Fa-f]'
/**
 * The escape of a character by its code. Half of a surrogate pair is refused: Python would not join
 * two halves.
 */
const CODE = `x${HEX}{2}|(?:u|U0000)(?![Dd][89A-Fa-f])${HEX}{4}|U00(?:0[1-9A-Fa-f]|10)${HEX}{4}`
const ESCAPE = String.raw`\\(?:[nrt\\"']|${CODE})`
const TEXT = [
  String.raw`"""(?:(?!""")[^\\]|${ESCAPE})*"""|'''(?:(?!''')[^\\]|${ESCAPE})*'''`,
  String.raw`"(?!"")(?:[^"\\\r\n]|${ESCAPE})*"|'(?!'')(?:[^'\\\r\n]|${ESCAPE})*'`,
].join('|')
/**
 * The tokens of Python that a source may contain, each as Python reads it: comments, names, numbers
 * of at most 15 digits on each side of the point, small numbers as Python writes them (`1e-05`),
 * texts without a prefix, and punctuation.
 */
const TOKEN = new RegExp(
  [
    String.raw`(?<end>\r?\n)`,
    String.raw`(?<blank>[ \t]+|#[^\r\n]*)`,
    `(?<name>[A-Za-z_][A-Za-z0-9_]*(?!["']))`,
    String.raw`(?<number>(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:e-[0-9]{2})?(?![\w.]))`,
    `(?<text>${TEXT})`,
    String.raw`(?<mark>[()[\]=,.])`,
  ].join('|'),
  'gy',
)
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/
/** A comment that makes Python read the file in another encoding: PEP 263. */
const COOKIE = /^(?:[^\n]*\n)?[^\n#]*#[^\n]*coding[:=]/

export interface Token {
  readonly kind: string
  readonly value: string
  readonly from: number
}

/** The change of the bracket depth by a mark. */
const DEPTHS: Readonly<Record<string, number>> = { '(': 1, '[': 1, ')': -1, ']': -1 }
/** Stands for a token after the last one. */
export const END_TOKEN: Token = { kind: 'end', value: '', from: 0 }

/**
 * Returns the statements of a source as their tokens, without blanks and comments. A statement
 * starts at the beginning of a line and ends at a line end outside brackets. A source that Python
 * could read in another way is refused: with encodings, control characters, indents, continued
 * lines, prefixes of texts, or other escapes.
 * @throws SourceRefusal
 */
export function readStatements(source: string): readonly Token[][] {
  expectReadable(source)
  const statements: Token[][] = [[]]
  let depth = 0
  for (const token of tokenize(source)) {
    depth += own(DEPTHS, token.value) ?? 0
    if (depth > MAX_DEPTH)
      throw new SourceRefusal('TOO_DEEP', token.from, `brackets are more than ${MAX_DEPTH} deep`)
    if (token.kind !== 'end') statements.at(-1)?.push(token)
    else if (depth === 0) statements.push([])
  }
  if (depth !== 0) throw new SourceRefusal('SYNTAX', source.length, 'a bracket is not closed')
  const starts = statements.map(([{ from } = END_TOKEN]) => from)
  const inner = starts.find((from) => from > 0 && source[from - 1] !== '\n')
  if (inner !== undefined)
    throw new SourceRefusal('SYNTAX', inner, 'a statement must start at the beginning of its line')
  return statements.filter((tokens) => tokens.length > 0)
}

/** Returns the tokens of a source, with the ends of lines, without blanks and comments. */
function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const { 0: value, index: from, groups = {} } of source.matchAll(TOKEN)) {
    const kind = Object.keys(groups).find((each) => groups[each] !== undefined) ?? ''
    if (kind !== 'blank') tokens.push({ kind, value, from })
    end = from + value.length
  }
  const over = tokens.filter(({ kind }) => kind !== 'end')[MAX_TOKENS]
  if (over !== undefined)
    throw new SourceRefusal('TOO_LARGE', over.from, `more than ${MAX_TOKENS} tokens`)
  if (end === source.length) return tokens
  const excerpt = source.slice(end, end + 20).split('\n', 1)[0] ?? ''
  throw new SourceRefusal('TOKEN', end, `${quote(excerpt)} is not allowed outside a string`)
}

function expectReadable(source: string): void {
  if (new TextEncoder().encode(source).length > MAX_BYTES)
    throw new SourceRefusal('TOO_LARGE', 0, `more than ${MAX_BYTES} bytes`)
  if (source.split('\n', MAX_LINES + 1).length > MAX_LINES)
    throw new SourceRefusal('TOO_LARGE', 0, `more than ${MAX_LINES} lines`)
  const control = CONTROL.exec(source)
  if (control !== null)
    throw new SourceRefusal('ENCODING', control.index, 'the source contains a control character')
  const cookie = COOKIE.exec(source)
  if (cookie !== null)
    throw new SourceRefusal('ENCODING', cookie[0].length - 1, 'a comment declares an encoding')
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

export function decodeText({ value }: Token): string {
  const quote = /^("""|'''|"|')/.exec(value)?.[0] ?? ''
  const body = value.slice(quote.length, value.length - quote.length).replaceAll('\r\n', '\n')
  return body.replace(/\\(?:x..|u.{4}|U.{8}|.)/g, (sequence) => {
    const mark = sequence.slice(1)
    if (mark.length === 1) return ESCAPED[mark] ?? mark
    return String.fromCodePoint(Number.parseInt(mark.slice(1), 16))
  })
}
