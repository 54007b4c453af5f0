import { digest, own, type Result } from '@affine/prng'
import {
  type ChuteRefusal,
  type CommittedModel,
  checkName,
  type Deployment,
  type DeploymentFault,
  type Description,
  quote,
  refuse,
} from './deployment.ts'
import type { Template, Templates } from './templates.ts'

/**
 * Checks that the source of a deployment is the plain use of a template, with the committed model,
 * in the image of its description. Never throws. Protocol §11 states what this check cannot detect.
 * Protocol §5.4.
 */
export function judgeSource(
  source: string,
  committed: CommittedModel,
  { slug, image, updated }: Description,
  templates: Templates,
): Result<Deployment, DeploymentFault> {
  const read = readTemplate(source, templates)
  if (!read.ok) return read
  const { model_name: model = '', revision = '', image: wanted = '' } = read.value
  if (model !== committed.model)
    return refuse('MODEL', `model_name: expected ${quote(committed.model)}, got ${quote(model)}`)
  if (revision !== committed.revision)
    return refuse('REVISION', `revision: expected ${committed.revision}, got ${quote(revision)}`)
  if (image !== wanted) return refuse('IMAGE', `its image is ${quote(image)}, not ${quote(wanted)}`)
  // The platform's own `version` also changes when a library of the image is updated.
  const version = digest('deployment', JSON.stringify([updated, image, source]))
  return { ok: true, value: { slug, version } }
}

/** Returns the first reason for which validators would refuse a chute's source, or undefined. */
export function findSourceRefusal(source: string, templates: Templates): string | undefined {
  const read = readTemplate(source, templates)
  if (!read.ok) return read.detail
  const { model_name: model = '', revision = '' } = read.value
  return checkName({ name: model, revision, public: false }, { model, revision })?.detail
}

/** The values of a call's arguments as Python writes them, without quotes if they are plain. */
type Arguments = Readonly<Record<string, string>>

const MAX_BYTES = 32 * 1024
const CALL = /^chute = (\w+)\((.*)\)$/s

/**
 * Reads a source as Python's `ast.unparse` writes it: imports, and one call of a template with
 * literal arguments. If the source is refused, `detail` is the first reason, with the line or the
 * argument. Never throws. Protocol §5.4.
 */
export function readTemplate(
  source: string,
  templates: Templates,
): Result<Arguments, DeploymentFault> {
  if (new TextEncoder().encode(source).length > MAX_BYTES)
    return refuse('TOO_LARGE', `more than ${MAX_BYTES} bytes`)
  const lines = source.replace(/\n$/, '').split('\n')
  const last = lines.length - 1
  const at = lines.findIndex((line, i) => i === last || !templates.imports.includes(line))
  const line = lines[at] ?? ''
  if (at < last && /^(?:import|from) /.test(line)) {
    const advice = `is not an allowed import: use one of ${templates.imports.join('; ')}`
    return refuse('IMPORT', `line ${at + 1}: ${quote(line)} ${advice}`)
  }
  const [, name = '', text = ''] = CALL.exec(line) ?? []
  const template = own(templates.builders, name)
  const isImported = lines.some((each) => each.endsWith(` import ${name}`))
  if (at < last || template === undefined || !isImported) {
    const expected =
      'imports, then chute = a call of an imported template, as ast.unparse writes it'
    return refuse('STATEMENT', `line ${at + 1}: expected ${expected}, got ${quote(line)}`)
  }
  const read = readArguments(text, templates.arguments)
  if (!read.ok) return read
  const missing = templates.required.find((each) => !Object.hasOwn(read.value, each))
  if (missing !== undefined) return refuse('ARGUMENT', `${missing} is missing`)
  const selector = readArguments(read.value.node_selector ?? '', templates.selector)
  if (!selector.ok) return selector
  return checkImage(read.value, templates, template) ?? checkEngine(read.value, template) ?? read
}

const ESCAPE = String.raw`\\(?:[\\'nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[1-9a-f]|10)[0-9a-f]{4})`
const TEXT = String.raw`'(?:[^'\\\p{Cc}]|${ESCAPE})*'|"(?:[^"\\\p{Cc}]|${ESCAPE})*"`
const NUMBER = String.raw`(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:e-[0-9]{2})?`
const LIST = String.raw`\[(?:(?:${TEXT})(?:, (?:${TEXT}))*)?\]`
const SELECTOR = String.raw`NodeSelector\((?:${TEXT}|[^'"()])*\)`
/** A named argument, after a comma unless it is the first, and its value. */
const ARGUMENT = new RegExp(
  String.raw`(?:^|, )(\w+)=(${TEXT}|${NUMBER}|True|False|${LIST}|${SELECTOR})`,
  'gyu',
)

const PLAIN = [/^'([^'\\]*)'$/, 'a text in single quotes without a backslash'] as const
/** The form of each kind of value, whose group is the value if it has one, and its name. */
const KINDS: Readonly<Record<string, readonly [form: RegExp, name: string]>> = {
  text: [/^['"]/, 'a text'],
  texts: [/^\[/, 'a list of texts'],
  whole: [/^[0-9]+$/, 'a whole number'],
  number: [/^[0-9]/, 'a number'],
  true: [/^True$/, 'True'],
  false: [/^False$/, 'False'],
  engine: PLAIN,
  model: PLAIN,
  revision: PLAIN,
  image: PLAIN,
  selector: [/^NodeSelector\((.*)\)$/s, 'NodeSelector(…)'],
}

/** Reads the whole text between a call's brackets, by the kinds of the allowed arguments. */
function readArguments(
  text: string,
  kinds: Readonly<Record<string, string>>,
): Result<Arguments, DeploymentFault> {
  const values = new Map<string, string>()
  let end = 0
  for (const { 0: whole, 1: name = '', 2: value = '' } of text.matchAll(ARGUMENT)) {
    const kind = own(KINDS, own(kinds, name) ?? '')
    if (kind === undefined)
      return refuse('ARGUMENT', `${quote(name)} is not an argument on the list`)
    const [form, expected] = kind
    const match = form.exec(value)
    if (match === null)
      return refuse('LITERAL', `${name}: expected ${expected}, got ${quote(value)}`)
    if (values.has(name)) return refuse('REPEATED', `${name} is given twice`)
    values.set(name, match[1] ?? value)
    end += whole.length
  }
  if (end === text.length) return { ok: true, value: Object.fromEntries(values) }
  const expected = 'an argument name=value as ast.unparse writes it'
  return refuse('STATEMENT', `expected ${expected}, got ${quote(text.slice(end))}`)
}

/** The last ten digits of a tag are a date and a number. */
const TAG = /^nightly-[0-9]{10}$/

function checkImage(
  { image = '' }: Arguments,
  { owner, oldestTag }: Templates,
  template: Template,
): ChuteRefusal | undefined {
  const name = `${owner}/${template.image}`
  const tag = image.slice(name.length + 1)
  if (image === `${name}:${tag}` && TAG.test(tag) && tag >= oldestTag) return undefined
  return refuse('IMAGE', `image: expected ${name}:${oldestTag} or a later one, got ${quote(image)}`)
}

/** A name, and a value after "=" or blanks. */
const ENGINE_ARGUMENT = /([^ =]+|=)(?:=([^ ]*)| +(?!--)([^ ]+))?/g
/**
 * The values of engine arguments by kind: a whole number, with an optional letter as in `32k`; a
 * number; or a name, which is never a path. An argument of the kind `alone` has no value.
 */
const VALUES: Readonly<Record<string, RegExp>> = {
  whole: /^-?[0-9]{1,9}[kKmM]?$/,
  number: /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/,
  name: /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
}

/**
 * Returns a refusal unless the engine arguments are on the list of their template, with values of
 * their kinds. An argument may appear twice, since the platform adds arguments too: the engine uses
 * the last value, and both values are harmless. A template also splits at other kinds of blanks: a
 * name or value that contains such a blank is neither on the list nor of an allowed kind.
 */
function checkEngine(
  { engine_args: text = '' }: Arguments,
  { engine }: Template,
): ChuteRefusal | undefined {
  for (const { 1: name = '', 2: joined, 3: value = joined } of text.matchAll(ENGINE_ARGUMENT)) {
    const kind = own(engine, name)
    if (kind === undefined) return refuse('ENGINE_ARGUMENT', `${quote(name)} is not on the list`)
    const isFit = value === undefined ? kind === 'alone' : VALUES[kind]?.test(value)
    if (!isFit)
      return refuse('ENGINE_ARGUMENT', `${name} cannot have the value ${quote(value ?? '')}`)
  }
  return undefined
}
