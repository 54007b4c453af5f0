import type { PythonNode } from './python-tree.ts'
import { quoted, SourceRefusal } from './source-refusal.ts'

/** A piece of a text, and where in the source it stands. */
export interface TextPiece {
  readonly value: string
  readonly from: number
}

/** What a text says. @throws SourceRefusal for anything but a text. */
export function textIn(node: PythonNode): string {
  return piecesIn(node)
    .map(({ value }) => value)
    .join('')
}

/** A text as its pieces: Python joins texts that follow one another. @throws SourceRefusal */
export function piecesIn(node: PythonNode): readonly TextPiece[] {
  const inner = unwrapped(node)
  const strings = inner.kind === 'ContinuedString' ? inner.parts : [inner]
  return strings.map((string) => {
    if (string.kind !== 'String') throw notA('text', string)
    return { value: meaningOf(string.text), from: string.from }
  })
}

/** Without the brackets around it. */
function unwrapped(node: PythonNode): PythonNode {
  const [, inner] = node.parts
  const isWrapped = node.kind === 'ParenthesizedExpression' && node.parts.length === 3
  return isWrapped && inner !== undefined ? unwrapped(inner) : node
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

/** What one text says: the tokens admit no other escapes. */
function meaningOf(literal: string): string {
  const quote = /^("""|'''|"|')/.exec(literal)?.[0] ?? ''
  const body = literal.slice(quote.length, literal.length - quote.length)
  return body
    .replaceAll('\r\n', '\n')
    .replace(/\\([nt\\"'])/g, (_, mark: string) => ESCAPED[mark] ?? mark)
}

/** @throws SourceRefusal for anything but a list of texts. */
export function textsIn(node: PythonNode): readonly string[] {
  const { kind, parts } = node
  if (kind !== 'ArrayExpression') throw notA('list of texts', node)
  return parts
    .slice(1, -1)
    .filter(({ kind }) => kind !== ',')
    .map(textIn)
}

/** @throws SourceRefusal for anything but a number from 0, whole unless `isWhole` is false. */
export function expectNumber(node: PythonNode, isWhole: boolean): void {
  const isNumber = node.kind === 'Number' && !(isWhole && node.text.includes('.'))
  if (!isNumber) throw notA(isWhole ? 'whole number' : 'number', node)
}

/** @throws SourceRefusal for anything but one of the words. */
export function expectWord(node: PythonNode, words: readonly string[]): void {
  if (node.kind !== 'Boolean' || !words.includes(node.text)) throw notA(words.join(' or '), node)
}

function notA(wanted: string, { from, text }: PythonNode): SourceRefusal {
  return new SourceRefusal('LITERAL', from, `expected a literal, ${wanted}, got ${quoted(text)}`)
}
