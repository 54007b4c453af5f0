import type { Result } from '@affine/prng'
import {
  meaningOf,
  NOTHING,
  quoted,
  type SourceFault,
  SourceRefusal,
  statementsOf,
  type Token,
} from './python-tokens.ts'
import type { ArgumentKind, EngineKind, Template, Templates } from './templates.ts'

/** The values of a call's arguments, by name. */
export interface Literals {
  readonly [name: string]: string | number | boolean | readonly string[] | Literals
}

/** What a source says of the deployment that it makes. */
export interface TemplateCall {
  /** The name of the template's image. */
  readonly imageName: string
  readonly arguments: Literals
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
    return { ok: true, value: callIn(source, wanted, templates) }
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error
    const line = source.slice(0, error.at).split('\n').length
    return { ok: false, code: error.code, detail: `line ${line}: ${error.message}` }
  }
}

/** The one call of a source, whose names were imported before it. */
function callIn(source: string, wanted: CommittedModel, templates: Templates): TemplateCall {
  const imported = new Set<string>()
  let call: TemplateCall | undefined
  for (const tokens of statementsOf(source)) {
    const [{ text, from } = NOTHING] = tokens
    if (text === 'import' || text === 'from') imported.add(importIn(tokens, templates.imports))
    else if (call === undefined) call = readCall(tokens, imported, wanted, templates)
    else throw new SourceRefusal('SECOND_CALL', from, 'nothing follows the call')
  }
  if (call !== undefined) return call
  throw new SourceRefusal('NO_CALL', source.length, 'there is no call of a template')
}

/** The name that an import brings. */
function importIn(tokens: readonly Token[], imports: readonly string[]): string {
  const text = lineOf(tokens)
  if (imports.includes(text)) return tokens.at(-1)?.text ?? ''
  const wanted = `may be one of ${imports.join('; ')}`
  throw new SourceRefusal('IMPORT', placeOf(tokens), `${quoted(text)} is no import that ${wanted}`)
}

/** Reads `chute = <one of the names>(…)` and nothing else. */
function readCall(
  tokens: Token[],
  imported: ReadonlySet<string>,
  wanted: CommittedModel,
  templates: Templates,
): TemplateCall {
  const expected = 'imports, and chute = a call of a template that was imported'
  const why = `expected ${expected}, got ${quoted(lineOf(tokens))}`
  const otherwise = new SourceRefusal('STATEMENT', placeOf(tokens), why)
  const [target, equals, name = NOTHING, open] = tokens.splice(0, 4)
  const isCall = target?.text === 'chute' && equals?.text === '=' && open?.text === '('
  const template = ownOf(templates.builders, name.text)
  if (!isCall || template === undefined || !imported.has(name.text)) throw otherwise
  const values = argumentsIn(tokens, templates.arguments, { wanted, templates, template })
  if (tokens.length > 0) throw otherwise
  const missing = templates.required.find((each) => !Object.hasOwn(values, each))
  if (missing !== undefined) throw new SourceRefusal('ARGUMENT', name.from, `${missing} is missing`)
  return { imageName: template.image, arguments: values }
}

function lineOf(tokens: readonly Token[]): string {
  const texts = tokens.map(({ text }) => text)
  return texts.join(' ').replaceAll(' . ', '.')
}

// From here on `tokens` are those of a statement that are left: what is read is taken off.

function placeOf([next = NOTHING]: readonly Token[]): number {
  return next.from
}

function takeIf(tokens: Token[], mark: string): boolean {
  const isNext = tokens[0]?.text === mark
  if (isNext) tokens.shift()
  return isNext
}

function notLiteral(wanted: string, [next = NOTHING]: readonly Token[]): SourceRefusal {
  const why = `expected a literal, ${wanted}, got ${quoted(next.text)}`
  return new SourceRefusal('LITERAL', next.from, why)
}

/** Reads what stands before a bracket that closes, with a comma between two, and perhaps a last. */
function readUpTo(tokens: Token[], close: ')' | ']', readOne: () => void): void {
  while (!takeIf(tokens, close)) {
    readOne()
    if (!takeIf(tokens, ',') && tokens[0]?.text !== close)
      throw notLiteral(`and then , or ${close}`, tokens)
  }
}

interface Checking {
  readonly wanted: CommittedModel
  readonly templates: Templates
  readonly template: Template
}

/** The arguments of a call after its bracket, all by name, each once and on the list. */
function argumentsIn(
  tokens: Token[],
  allowed: Readonly<Record<string, ArgumentKind>>,
  checking: Checking,
): Literals {
  const values = new Map<string, Literals[string]>()
  readUpTo(tokens, ')', () => {
    const [{ kind, text, from } = NOTHING, equals] = tokens.splice(0, 2)
    if (kind !== 'name' || equals?.text !== '=')
      throw new SourceRefusal('ARGUMENT', from, 'expected arguments by name alone')
    const wanted = ownOf(allowed, text)
    if (wanted === undefined)
      throw new SourceRefusal('ARGUMENT', from, `${quoted(text)} is no argument on the list`)
    if (values.has(text)) throw new SourceRefusal('REPEATED', from, `${text} stands there twice`)
    values.set(text, READERS[wanted](tokens, checking))
  })
  return Object.fromEntries(values)
}

type ValueReader = (tokens: Token[], checking: Checking) => Literals[string]

const READERS: Readonly<Record<ArgumentKind, ValueReader>> = {
  text: textIn,
  texts: textsIn,
  whole: (tokens) => Number(wordIn(tokens, /^[0-9]+$/, 'whole number')),
  number: (tokens) => Number(wordIn(tokens, /^[0-9]/, 'number')),
  bool: (tokens) => wordIn(tokens, /^(True|False)$/, 'True or False') === 'True',
  false: (tokens) => wordIn(tokens, /^False$/, 'False') === 'True',
  engine: engineIn,
  model: (tokens, { wanted }) => committedIn(tokens, 'MODEL', wanted.model),
  revision: (tokens, { wanted }) => committedIn(tokens, 'REVISION', wanted.revision),
  image: imageIn,
  selector: selectorIn,
}

/** A text as the tokens that it is in: Python joins texts that follow one another. */
function piecesIn(tokens: Token[]): readonly Token[] {
  if (takeIf(tokens, '(')) {
    const pieces = piecesIn(tokens)
    if (takeIf(tokens, ')')) return pieces
    throw notLiteral('text', tokens)
  }
  const end = tokens.findIndex(({ kind }) => kind !== 'text')
  if (end === 0) throw notLiteral('text', tokens)
  return tokens.splice(0, end)
}

function textIn(tokens: Token[]): string {
  return piecesIn(tokens).map(meaningOf).join('')
}

function textsIn(tokens: Token[]): readonly string[] {
  const texts: string[] = []
  if (!takeIf(tokens, '[')) throw notLiteral('list of texts', tokens)
  readUpTo(tokens, ']', () => texts.push(textIn(tokens)))
  return texts
}

/** A number, from 0, or a word. */
function wordIn(tokens: Token[], word: RegExp, wanted: string): string {
  const [{ text } = NOTHING] = tokens
  if (!word.test(text)) throw notLiteral(wanted, tokens)
  tokens.shift()
  return text
}

function committedIn(tokens: Token[], code: 'MODEL' | 'REVISION', committed: string): string {
  const from = placeOf(tokens)
  const said = textIn(tokens)
  if (said === committed) return said
  throw new SourceRefusal(code, from, `${quoted(said)} is not the committed ${quoted(committed)}`)
}

function imageIn(tokens: Token[], { templates, template }: Checking): string {
  const from = placeOf(tokens)
  const said = textIn(tokens)
  const name = `${templates.owner}/${template.image}`
  const tag = said.replace(`${name}:`, '')
  if (said === `${name}:${tag}` && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(tag)) return said
  throw new SourceRefusal('IMAGE', from, `expected ${name} with a tag, got ${quoted(said)}`)
}

/** A call of `NodeSelector` with literal arguments. */
function selectorIn(tokens: Token[], checking: Checking): Literals {
  const isCall = takeIf(tokens, 'NodeSelector') && takeIf(tokens, '(')
  if (!isCall) throw notLiteral('NodeSelector(…)', tokens)
  return argumentsIn(tokens, checking.templates.selector, checking)
}

/**
 * A name, and a value after "=" or a blank. A template splits at more blanks than these: what has
 * others is neither a name on the list nor a value.
 */
const ENGINE_ARGUMENT = /([^ \n\t=]+|=)(?:=([^ \n\t]*)|[ \n\t]+(?!--)([^ \n\t]+))?/g
const ENGINE_VALUES: Readonly<Record<Exclude<EngineKind, 'alone'>, RegExp>> = {
  whole: /^-?[0-9]{1,9}$/,
  number: /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/,
  name: /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
}

/** A text whose engine arguments are all on the list, each once, with a value of its kind. */
function engineIn(tokens: Token[], { template: { engine } }: Checking): string {
  const pieces = piecesIn(tokens)
  const whole = pieces.map(meaningOf).join('')
  const seen = new Set<string>()
  for (const found of whole.matchAll(ENGINE_ARGUMENT)) {
    const { 1: name = '', 2: joined, 3: value = joined, index } = found
    const refuse = (why: string): SourceRefusal =>
      new SourceRefusal('ENGINE_ARGUMENT', placeIn(pieces, index), why)
    const kind = ownOf(engine, name)
    if (kind === undefined) throw refuse(`${quoted(name)} is not on the list`)
    if (seen.has(name)) throw refuse(`${name} stands there twice`)
    seen.add(name)
    const isFit = kind === 'alone' ? value === undefined : ENGINE_VALUES[kind].test(value ?? '')
    if (!isFit) throw refuse(`${name} cannot be ${quoted(value ?? 'alone')}`)
  }
  return whole
}

/** Where in the source the piece of a text begins that has the character of an index. */
function placeIn(pieces: readonly Token[], index: number): number {
  const ends = pieces.map(
    (_, i) =>
      pieces
        .slice(0, i + 1)
        .map(meaningOf)
        .join('').length,
  )
  return placeOf(pieces.slice(ends.findIndex((end) => index < end)))
}

/** What a record has under a name of a stranger's. */
function ownOf<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
