import type { Result } from '@affine/prng'
import { checkEngine } from './engine-arguments.ts'
import { expectNumber, expectWord, piecesIn, textIn, textsIn } from './python-literal.ts'
import { type PythonNode, statementsOf } from './python-tree.ts'
import { quoted, type SourceFault, SourceRefusal } from './source-refusal.ts'
import type { ArgumentKind, Template, Templates } from './templates.ts'

/** What a source says of the deployment that it makes. */
export interface TemplateCall {
  readonly model: string
  readonly revision: string
  /** The image's name, which the template implies, and the image, unless it is the default. */
  readonly imageName: string
  readonly image: string | undefined
}

/** What it must say: what the miner committed to. */
export interface CommittedModel {
  readonly model: string
  readonly revision: string
}

/**
 * Is a source imports, comments, and one call of a template with literal arguments, for the model
 * and the revision wanted? Never throws, and never runs it. A refusal says in which line.
 * Protocol §5.4.
 */
export function readTemplate(
  source: string,
  wanted: CommittedModel,
  templates: Templates,
): Result<TemplateCall, SourceFault> {
  try {
    return { ok: true, value: readCall(callIn(source, templates), wanted, templates) }
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error
    const line = source.slice(0, error.at).split('\n').length
    return { ok: false, code: error.code, detail: `line ${line}: ${error.message}` }
  }
}

/** The one call of a source, whose names were imported before it. */
function callIn(source: string, { imports, builders }: Templates): PythonNode {
  const imported = new Set<string>()
  let call: PythonNode | undefined
  for (const statement of statementsOf(source)) {
    const { kind, from } = statement
    if (kind === 'ImportStatement') {
      imported.add(importIn(statement, imports))
      continue
    }
    if (call !== undefined) throw new SourceRefusal('SECOND_CALL', from, 'nothing follows the call')
    call = calledBy(
      statement,
      [...imported].filter((name) => Object.hasOwn(builders, name)),
    )
  }
  if (call !== undefined) return call
  throw new SourceRefusal('NO_CALL', source.length, 'there is no call of a template')
}

/** The name that an import brings. */
function importIn({ parts, from }: PythonNode, imports: readonly string[]): string {
  const text = parts
    .map((part) => part.text)
    .join(' ')
    .replaceAll(' . ', '.')
  if (imports.includes(text)) return parts.at(-1)?.text ?? ''
  const wanted = `may be one of ${imports.join('; ')}`
  throw new SourceRefusal('IMPORT', from, `${quoted(text)} is no import that ${wanted}`)
}

/** The call in `chute = <one of the names>(…)`. */
function calledBy(statement: PythonNode, names: readonly string[]): PythonNode {
  const [target, equals, call, ...more] = statement.parts
  const isCall =
    statement.kind === 'AssignStatement' && target?.text === 'chute' && equals?.text === '='
  const name = call?.kind === 'CallExpression' ? call.parts[0] : undefined
  if (isCall && more.length === 0 && call && name && names.includes(name.text)) return call
  const wanted = 'imports, and chute = a call of a template that was imported'
  const got = quoted(statement.text.split('\n', 1)[0] ?? '')
  throw new SourceRefusal('STATEMENT', statement.from, `expected ${wanted}, got ${got}`)
}

function readCall(call: PythonNode, wanted: CommittedModel, templates: Templates): TemplateCall {
  const template = templates.builders[call.parts[0]?.text ?? ''] as Template
  const values = argumentsOf(call, templates.arguments)
  for (const [name, value] of values) {
    const kind = templates.arguments[name] as ArgumentKind
    checkValue(value, kind, { wanted, templates, template })
  }
  const missing = templates.required.find((name) => !values.has(name))
  if (missing !== undefined) throw new SourceRefusal('ARGUMENT', call.from, `${missing} is missing`)
  const image = values.get('image')
  return { ...wanted, imageName: template.image, image: image && textIn(image) }
}

/** The arguments of a call, all by name, each once and on the list. */
function argumentsOf(
  { parts: [, list] }: PythonNode,
  allowed: Readonly<Record<string, ArgumentKind>>,
): ReadonlyMap<string, PythonNode> {
  const values = new Map<string, PythonNode>()
  const parts = list?.parts.slice(1, -1) ?? []
  for (let i = 0; i < parts.length; i += 4) {
    const [name, equals, value, comma] = parts.slice(i, i + 4)
    if (!name || equals?.text !== '=' || !value || (comma && comma.text !== ','))
      throw new SourceRefusal('ARGUMENT', name?.from ?? 0, 'expected arguments by name alone')
    const { text, from } = name
    if (!Object.hasOwn(allowed, text))
      throw new SourceRefusal('ARGUMENT', from, `${quoted(text)} is no argument on the list`)
    if (values.has(text)) throw new SourceRefusal('REPEATED', from, `${text} stands there twice`)
    values.set(text, value)
  }
  return values
}

interface Checking {
  readonly wanted: CommittedModel
  readonly templates: Templates
  readonly template: Template
}

const CHECKS: Readonly<Record<ArgumentKind, (value: PythonNode, checking: Checking) => void>> = {
  text: (value) => void textIn(value),
  texts: (value) => void textsIn(value),
  whole: (value) => expectNumber(value, true),
  number: (value) => expectNumber(value, false),
  bool: (value) => expectWord(value, ['True', 'False']),
  false: (value) => expectWord(value, ['False']),
  engine: (value, { template }) => checkEngine(piecesIn(value), template),
  model: (value, { wanted }) => expectCommitted(value, 'MODEL', wanted.model),
  revision: (value, { wanted }) => expectCommitted(value, 'REVISION', wanted.revision),
  image: expectImage,
  selector: expectSelector,
}

function checkValue(value: PythonNode, kind: ArgumentKind, checking: Checking): void {
  CHECKS[kind](value, checking)
}

function expectCommitted(value: PythonNode, code: 'MODEL' | 'REVISION', committed: string): void {
  const said = textIn(value)
  if (said === committed) return
  const why = `${quoted(said)} is not the committed ${quoted(committed)}`
  throw new SourceRefusal(code, value.from, why)
}

function expectImage(value: PythonNode, { templates, template }: Checking): void {
  const said = textIn(value)
  const name = `${templates.owner}/${template.image}`
  const [start, tag = '', ...more] = said.split(':')
  if (start === name && more.length === 0 && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(tag)) return
  throw new SourceRefusal('IMAGE', value.from, `expected ${name} with a tag, got ${quoted(said)}`)
}

/** The call of `NodeSelector` with literal arguments. */
function expectSelector(value: PythonNode, checking: Checking): void {
  const isCall = value.kind === 'CallExpression' && value.parts[0]?.text === 'NodeSelector'
  if (!isCall) {
    const why = `expected NodeSelector(…), got ${quoted(value.text)}`
    throw new SourceRefusal('LITERAL', value.from, why)
  }
  const { selector } = checking.templates
  for (const [name, each] of argumentsOf(value, selector))
    checkValue(each, selector[name] as ArgumentKind, checking)
}
