import { own, type Result } from '@affine/prng'
import {
  decodeText,
  END_TOKEN,
  quote,
  readStatements,
  type SourceFault,
  SourceRefusal,
  type Token,
} from './python-tokens.ts'
import type { ArgumentKind, EngineKind, Template, Templates } from './templates.ts'

/** The values of a call's arguments, by name. */
export interface Literals {
  readonly [name: string]: string | number | boolean | readonly string[] | Literals
}

/** What it must say: what the miner committed to. */
export interface CommittedModel {
  readonly model: string
  readonly revision: string
}

export const MODEL: RegExp = /^[A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*$/
export const COMMIT: RegExp = /^[0-9a-f]{40}$/

/**
 * Is a source imports, comments, and one call of a template with literal arguments, for the model
 * and the revision wanted? What is left out of these may be any. Never throws, and never runs it.
 * `detail` is the first refusal, with its line. Protocol §5.4.
 */
export function readTemplate(
  source: string,
  wanted: Partial<CommittedModel>,
  templates: Templates,
): Result<Literals, SourceFault> {
  try {
    return { ok: true, value: readSource(source, { wanted, templates }) }
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error
    const line = source.slice(0, error.at).split('\n').length
    return { ok: false, code: error.code, detail: `line ${line}: ${error.message}` }
  }
}

/** What a source is read for. */
interface SourceContext {
  readonly wanted: Partial<CommittedModel>
  readonly templates: Templates
}

/** The one call of a source, whose names were imported before it. */
function readSource(source: string, reading: SourceContext): Literals {
  const imported = new Set<string>()
  let call: Literals | undefined
  for (const tokens of readStatements(source)) {
    const [{ value, from } = END_TOKEN] = tokens
    if (value === 'import' || value === 'from')
      imported.add(readImport(tokens, reading.templates.imports))
    else if (call === undefined) call = readCall(tokens, imported, reading)
    else throw new SourceRefusal('SECOND_CALL', from, 'nothing follows the call')
  }
  if (call !== undefined) return call
  throw new SourceRefusal('NO_CALL', source.length, 'there is no call of a template')
}

/** The name that an import brings. */
function readImport(tokens: readonly Token[], imports: readonly string[]): string {
  const text = joinTokens(tokens)
  if (imports.includes(text)) return tokens.at(-1)?.value ?? ''
  const wanted = `may be one of ${imports.join('; ')}`
  throw new SourceRefusal(
    'IMPORT',
    nextPosition(tokens),
    `${quote(text)} is no import that ${wanted}`,
  )
}

/** Reads `chute = <one of the names>(…)` and nothing else. */
function readCall(
  tokens: Token[],
  imported: ReadonlySet<string>,
  reading: SourceContext,
): Literals {
  const { templates } = reading
  const expected = 'imports, and chute = a call of a template that was imported'
  const why = `expected ${expected}, got ${quote(joinTokens(tokens))}`
  const otherwise = new SourceRefusal('STATEMENT', nextPosition(tokens), why)
  const [target, equals, name = END_TOKEN, open] = tokens.splice(0, 4)
  const isCall = target?.value === 'chute' && equals?.value === '=' && open?.value === '('
  const template = own(templates.builders, name.value)
  if (!isCall || template === undefined || !imported.has(name.value)) throw otherwise
  const checking = { ...reading, template }
  const values = readArguments(tokens, templates.arguments, checking)
  if (tokens.length > 0) throw otherwise
  const missing = templates.required.find((each) => !Object.hasOwn(values, each))
  if (missing !== undefined) throw new SourceRefusal('ARGUMENT', name.from, `${missing} is missing`)
  return values
}

function joinTokens(tokens: readonly Token[]): string {
  const values = tokens.map(({ value }) => value)
  return values.join(' ').replaceAll(' . ', '.')
}

// From here on `tokens` are those of a statement that are left: what is read is taken off.

function nextPosition([next = END_TOKEN]: readonly Token[]): number {
  return next.from
}

function takeIf(tokens: Token[], mark: string): boolean {
  const isNext = tokens[0]?.value === mark
  if (isNext) tokens.shift()
  return isNext
}

function refuseLiteral(wanted: string, [next = END_TOKEN]: readonly Token[]): SourceRefusal {
  const why = `expected a literal, ${wanted}, got ${quote(next.value)}`
  return new SourceRefusal('LITERAL', next.from, why)
}

/** Takes off a comma, if no bracket follows that closes. */
function expectSeparator(tokens: Token[], close: ')' | ']'): void {
  if (!takeIf(tokens, ',') && tokens[0]?.value !== close)
    throw refuseLiteral(`and then , or ${close}`, tokens)
}

interface CallContext extends SourceContext {
  readonly template: Template
}

/** The arguments of a call after its bracket, all by name, each once and on the list. */
function readArguments(
  tokens: Token[],
  allowed: Readonly<Record<string, ArgumentKind>>,
  checking: CallContext,
): Literals {
  const values = new Map<string, Literals[string]>()
  while (tokens.length > 0 && !takeIf(tokens, ')')) {
    const [{ kind, value: name, from } = END_TOKEN, equals] = tokens.splice(0, 2)
    if (kind !== 'name' || equals?.value !== '=')
      throw new SourceRefusal('ARGUMENT', from, 'expected arguments by name alone')
    const wanted = own(allowed, name)
    if (wanted === undefined)
      throw new SourceRefusal('ARGUMENT', from, `${quote(name)} is no argument on the list`)
    if (values.has(name)) throw new SourceRefusal('REPEATED', from, `${name} stands there twice`)
    values.set(name, READERS[wanted](tokens, checking))
    expectSeparator(tokens, ')')
  }
  return Object.fromEntries(values)
}

type ValueReader = (tokens: Token[], checking: CallContext) => Literals[string]

const READERS: Readonly<Record<ArgumentKind, ValueReader>> = {
  text: readText,
  texts: readTexts,
  whole: (tokens) => Number(readWord(tokens, /^[0-9]+$/, 'whole number')),
  number: (tokens) => Number(readWord(tokens, /^[0-9]/, 'number')),
  true: (tokens) => readWord(tokens, /^True$/, 'True') === 'True',
  false: (tokens) => readWord(tokens, /^False$/, 'False') === 'True',
  engine: readEngineArguments,
  model: (tokens, { wanted: { model } }) => readCommitted(tokens, 'MODEL', model),
  revision: (tokens, { wanted: { revision } }) => readCommitted(tokens, 'REVISION', revision),
  image: readImage,
  selector: readSelector,
}

/** A text as the tokens that it is in: Python joins texts that follow one another. */
function readTextTokens(tokens: Token[]): readonly Token[] {
  if (takeIf(tokens, '(')) {
    const pieces = readTextTokens(tokens)
    if (takeIf(tokens, ')')) return pieces
    throw refuseLiteral('text', tokens)
  }
  const end = tokens.findIndex(({ kind }) => kind !== 'text')
  if (end === 0) throw refuseLiteral('text', tokens)
  return tokens.splice(0, end)
}

function readText(tokens: Token[]): string {
  return readTextTokens(tokens).map(decodeText).join('')
}

function readTexts(tokens: Token[]): readonly string[] {
  const texts: string[] = []
  if (!takeIf(tokens, '[')) throw refuseLiteral('list of texts', tokens)
  while (!takeIf(tokens, ']')) {
    texts.push(readText(tokens))
    expectSeparator(tokens, ']')
  }
  return texts
}

/** A number, from 0, or a word. */
function readWord(tokens: Token[], word: RegExp, wanted: string): string {
  const [{ value } = END_TOKEN] = tokens
  if (!word.test(value)) throw refuseLiteral(wanted, tokens)
  tokens.shift()
  return value
}

const FORMS = {
  MODEL: [MODEL, 'owner/name'],
  REVISION: [COMMIT, '40 hex digits'],
} as const

/** What was committed; any text of its form, where nothing is yet. */
function readCommitted(
  tokens: Token[],
  code: 'MODEL' | 'REVISION',
  committed: string | undefined,
): string {
  const from = nextPosition(tokens)
  const said = readText(tokens)
  const [form, expected] = FORMS[code]
  if (committed === undefined ? form.test(said) : said === committed) return said
  const wanted = committed === undefined ? expected : `the committed ${quote(committed)}`
  throw new SourceRefusal(code, from, `${quote(said)} is not ${wanted}`)
}

/** The last ten digits are a date and a number. */
const TAG = /^nightly-[0-9]{10}$/

function readImage(tokens: Token[], { templates, template }: CallContext): string {
  const from = nextPosition(tokens)
  const said = readText(tokens)
  const name = `${templates.owner}/${template.image}`
  const tag = said.slice(name.length + 1)
  if (said === `${name}:${tag}` && TAG.test(tag) && tag >= templates.oldestTag) return said
  const expected = `${name}:${templates.oldestTag} or a later one`
  throw new SourceRefusal('IMAGE', from, `expected ${expected}, got ${quote(said)}`)
}

/** A call of `NodeSelector` with literal arguments. */
function readSelector(tokens: Token[], checking: CallContext): Literals {
  const isCall = takeIf(tokens, 'NodeSelector') && takeIf(tokens, '(')
  if (!isCall) throw refuseLiteral('NodeSelector(…)', tokens)
  return readArguments(tokens, checking.templates.selector, checking)
}

/**
 * A text whose engine arguments are all on the list of their template, with values of their kinds.
 * One may stand there twice, as the platform adds its own: the engine takes the last, and both are
 * harmless. Protocol §5.4.
 */
function readEngineArguments(tokens: Token[], { template: { engine } }: CallContext): string {
  const pieces = readTextTokens(tokens)
  const meanings = pieces.map(decodeText)
  const whole = meanings.join('')
  // Of each character, where in the source its piece begins.
  const places = pieces.flatMap(({ from }, i) => Array<number>(meanings[i]?.length ?? 0).fill(from))
  for (const { 1: name = '', 2: joined, 3: value = joined, index } of whole.matchAll(ARGUMENT)) {
    const refusal = (why: string): SourceRefusal =>
      new SourceRefusal('ENGINE_ARGUMENT', places[index] ?? 0, why)
    const kind = own(engine, name)
    if (kind === undefined) throw refusal(`${quote(name)} is not on the list`)
    const isFit = kind === 'alone' ? value === undefined : VALUES[kind].test(value ?? '')
    if (!isFit) throw refusal(`${name} cannot be ${quote(value ?? 'alone')}`)
  }
  return whole
}

/**
 * A name, and a value after "=" or a blank. A template splits at more blanks than these: what has
 * others is neither a name on the list nor a value.
 */
const ARGUMENT = /([^ \n\t=]+|=)(?:=([^ \n\t]*)|[ \n\t]+(?!--)([^ \n\t]+))?/g
const VALUES: Readonly<Record<Exclude<EngineKind, 'alone'>, RegExp>> = {
  whole: /^-?[0-9]{1,9}[kKmM]?$/,
  number: /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/,
  name: /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
}
