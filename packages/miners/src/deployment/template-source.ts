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
import type { Template, Templates } from './templates.ts'

/** The values of a call's arguments, by name. */
export interface Literals {
  readonly [name: string]: string | number | boolean | readonly string[] | Literals
}

export interface CommittedModel {
  readonly model: string
  readonly revision: string
}

export const MODEL: RegExp = /^[A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*$/
export const COMMIT: RegExp = /^[0-9a-f]{40}$/

/**
 * Reads a source that consists of imports, comments, and one call of a template with literal
 * arguments, for the wanted model and revision. A property that `wanted` omits may have any value.
 * If the source is refused, `detail` is the first reason, with its line. Never throws. Protocol
 * §5.4.
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

interface SourceContext {
  readonly wanted: Partial<CommittedModel>
  readonly templates: Templates
}

/** Returns the arguments of the only call in a source. It calls a template imported before it. */
function readSource(source: string, reading: SourceContext): Literals {
  const imported = new Set<string>()
  let call: Literals | undefined
  for (const tokens of readStatements(source)) {
    const [{ value, from } = END_TOKEN] = tokens
    if (value === 'import' || value === 'from')
      imported.add(readImport(tokens, reading.templates.imports))
    else if (call === undefined) call = readCall(tokens, imported, reading)
    else throw new SourceRefusal('SECOND_CALL', from, 'no statement may follow the call')
  }
  if (call !== undefined) return call
  throw new SourceRefusal('NO_CALL', source.length, 'the source does not call a template')
}

function readImport(tokens: readonly Token[], imports: readonly string[]): string {
  const text = joinTokens(tokens)
  if (imports.includes(text)) return tokens.at(-1)?.value ?? ''
  const advice = `is not an allowed import: use one of ${imports.join('; ')}`
  throw new SourceRefusal('IMPORT', nextPosition(tokens), `${quote(text)} ${advice}`)
}

/** Reads `chute = <imported template>(…)` and nothing else. */
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

// Below, `tokens` are the remaining tokens of a statement. A reader removes the tokens it reads.

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

/** Reads items up to a closing bracket. A comma may be missing only after the last item. */
function readItems(tokens: Token[], close: ')' | ']', readItem: () => void): void {
  while (tokens.length > 0 && !takeIf(tokens, close)) {
    readItem()
    if (!takeIf(tokens, ',') && tokens[0]?.value !== close)
      throw refuseLiteral(`then , or ${close}`, tokens)
  }
}

interface CallContext extends SourceContext {
  readonly template: Template
}

/** Reads the arguments of a call, each once and with a name in `allowed`, up to its `)`. */
function readArguments(
  tokens: Token[],
  allowed: Readonly<Record<string, string>>,
  checking: CallContext,
): Literals {
  const values = new Map<string, Literals[string]>()
  readItems(tokens, ')', () => {
    const [{ value: name, from } = END_TOKEN, equals] = tokens.splice(0, 2)
    if (equals?.value !== '=')
      throw new SourceRefusal('ARGUMENT', from, 'expected arguments by name only')
    const read = own(READERS, own(allowed, name) ?? '')
    if (read === undefined)
      throw new SourceRefusal('ARGUMENT', from, `${quote(name)} is not an argument on the list`)
    if (values.has(name)) throw new SourceRefusal('REPEATED', from, `${name} is given twice`)
    values.set(name, read(tokens, checking))
  })
  return Object.fromEntries(values)
}

type ValueReader = (tokens: Token[], checking: CallContext) => Literals[string]

/**
 * Readers of values by kind. `texts` is a list of texts, `whole` a whole number, and `selector` a
 * call of `NodeSelector`. `true` accepts only True, `false` only False, and `model` and `revision`
 * only what the miner committed.
 */
const READERS: Readonly<Record<string, ValueReader>> = {
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

/** Removes and returns the tokens of a text. Python joins adjacent texts. */
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
  readItems(tokens, ']', () => texts.push(readText(tokens)))
  return texts
}

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

/** Reads the committed model or revision, or any text of its form if nothing is committed yet. */
function readCommitted(
  tokens: Token[],
  code: 'MODEL' | 'REVISION',
  committed: string | undefined,
): string {
  const from = nextPosition(tokens)
  const text = readText(tokens)
  const [form, expected] = FORMS[code]
  if (committed === undefined ? form.test(text) : text === committed) return text
  const wanted = committed === undefined ? expected : `the committed ${quote(committed)}`
  throw new SourceRefusal(code, from, `${quote(text)} is not ${wanted}`)
}

/** The last ten digits of a tag are a date and a number. */
const TAG = /^nightly-[0-9]{10}$/

function readImage(tokens: Token[], { templates, template }: CallContext): string {
  const from = nextPosition(tokens)
  const image = readText(tokens)
  const name = `${templates.owner}/${template.image}`
  const tag = image.slice(name.length + 1)
  if (image === `${name}:${tag}` && TAG.test(tag) && tag >= templates.oldestTag) return image
  const expected = `${name}:${templates.oldestTag} or a later one`
  throw new SourceRefusal('IMAGE', from, `expected ${expected}, got ${quote(image)}`)
}

function readSelector(tokens: Token[], checking: CallContext): Literals {
  const isCall = takeIf(tokens, 'NodeSelector') && takeIf(tokens, '(')
  if (!isCall) throw refuseLiteral('NodeSelector(…)', tokens)
  return readArguments(tokens, checking.templates.selector, checking)
}

/**
 * Reads a text of engine arguments that are on the list of their template, with values of their
 * kinds. An argument may appear twice, since the platform adds arguments too: the engine uses the
 * last value, and both values are harmless. Protocol §5.4.
 */
function readEngineArguments(tokens: Token[], { template: { engine } }: CallContext): string {
  const pieces = readTextTokens(tokens)
  const meanings = pieces.map(decodeText)
  const whole = meanings.join('')
  // For each character of the text, the position of its piece in the source.
  const places = pieces.flatMap(({ from }, i) => Array<number>(meanings[i]?.length ?? 0).fill(from))
  for (const { 1: name = '', 2: joined, 3: value = joined, index } of whole.matchAll(ARGUMENT)) {
    const refusal = (why: string): SourceRefusal =>
      new SourceRefusal('ENGINE_ARGUMENT', places[index] ?? 0, why)
    const kind = own(engine, name)
    if (kind === undefined) throw refusal(`${quote(name)} is not on the list`)
    const isFit = value === undefined ? kind === 'alone' : VALUES[kind]?.test(value)
    if (!isFit) throw refusal(`${name} cannot have the value ${quote(value ?? '')}`)
  }
  return whole
}

/**
 * A name, and a value after "=" or blanks. A template also splits at other kinds of blanks: a name
 * or value that contains such a blank is refused, since it is neither on the list nor of an allowed
 * kind.
 */
const ARGUMENT = /([^ \n\t=]+|=)(?:=([^ \n\t]*)|[ \n\t]+(?!--)([^ \n\t]+))?/g
/**
 * The values of engine arguments by kind: a whole number, with an optional letter as in `32k`; a
 * number; or a name, which is never a path. An argument of the kind `alone` has no value.
 */
const VALUES: Readonly<Record<string, RegExp>> = {
  whole: /^-?[0-9]{1,9}[kKmM]?$/,
  number: /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/,
  name: /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
}
