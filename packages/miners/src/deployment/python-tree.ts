import { parser } from '@lezer/python'
import { type Token, tokensOf } from './python-tokens.ts'
import { SourceRefusal } from './source-refusal.ts'

/** A node of the grammar. A text and a token have no parts. */
export interface PythonNode {
  readonly kind: string
  readonly text: string
  /** Where in the source it begins. */
  readonly from: number
  readonly parts: readonly PythonNode[]
}

/** Parses without recovery: at the first mistake it throws. */
const strict = parser.configure({ strict: true })

/**
 * The statements of a source, without comments. It is parsed, never run. Its tokens were read
 * beforehand by a second reader, and both must have found the same ones.
 * @throws SourceRefusal
 */
export function statementsOf(source: string): readonly PythonNode[] {
  const tokens = tokensOf(source)
  const statements = parse(source)
  const leaves = statements.flatMap(leavesOf)
  const odd = tokens.findIndex((token, i) => !isSame(token, leaves[i]))
  if (odd !== -1)
    throw new SourceRefusal('SYNTAX', tokens[odd]?.from ?? 0, 'it is not plain Python')
  return statements
}

function parse(source: string): readonly PythonNode[] {
  try {
    const cursor = strict.parse(source).cursor()
    const node = ({ from, to }: { from: number; to: number }): string => source.slice(from, to)
    const read = (): PythonNode => {
      const { name: kind, from } = cursor
      const text = node(cursor)
      const parts: PythonNode[] = []
      if (kind !== 'String' && cursor.firstChild()) {
        do if (!cursor.type.is('Comment')) parts.push(read())
        while (cursor.nextSibling())
        cursor.parent()
      }
      return { kind, text, from, parts }
    }
    return read().parts
  } catch (error) {
    const at = Number(/(?<!\d)\d+$/.exec((error as Error).message)?.[0] ?? 0)
    throw new SourceRefusal('SYNTAX', at, 'it is not Python')
  }
}

function leavesOf(node: PythonNode): readonly PythonNode[] {
  return node.parts.length === 0 ? [node] : node.parts.flatMap(leavesOf)
}

function isSame(token: Token, leaf: PythonNode | undefined): boolean {
  return leaf !== undefined && token.from === leaf.from && token.text === leaf.text
}
