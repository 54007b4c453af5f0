import type { TextPiece } from './python-literal.ts'
import { quoted, SourceRefusal } from './source-refusal.ts'
import type { EngineKind, Template } from './templates.ts'

/**
 * A name, and a value after "=" or a blank. A template splits at more blanks than these: what has
 * others is neither a name on the list nor a value.
 */
const ARGUMENT = /([^ \n\t=]+|=)(?:=([^ \n\t]*)|[ \n\t]+(?!--)([^ \n\t]+))?/g
const VALUES: Readonly<Record<Exclude<EngineKind, 'alone'>, RegExp>> = {
  whole: /^-?[0-9]{1,9}$/,
  number: /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/,
  name: /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
}

/**
 * Are all of an engine's arguments on the list, each once, with a value of its kind?
 * @throws SourceRefusal that says where the first one stands that is not.
 */
export function checkEngine(pieces: readonly TextPiece[], { engine }: Template): void {
  const text = pieces.map(({ value }) => value).join('')
  const seen = new Set<string>()
  for (const { 1: name = '', 2: joined, 3: value = joined, index } of text.matchAll(ARGUMENT)) {
    const refuse = (why: string): SourceRefusal =>
      new SourceRefusal('ENGINE_ARGUMENT', placeOf(index, pieces), why)
    const kind = Object.hasOwn(engine, name) ? engine[name] : undefined
    if (kind === undefined) throw refuse(`${quoted(name)} is not on the list`)
    if (seen.has(name)) throw refuse(`${name} stands there twice`)
    seen.add(name)
    if (!isValue(value, kind)) throw refuse(`${name} cannot be ${quoted(value ?? 'alone')}`)
  }
}

function isValue(value: string | undefined, kind: EngineKind): boolean {
  if (kind === 'alone') return value === undefined
  return value !== undefined && VALUES[kind].test(value)
}

/** Where in the source the character of an index stands, roughly: in which piece. */
function placeOf(index: number, pieces: readonly TextPiece[]): number {
  let left = index
  for (const { value, from } of pieces) {
    if (left < value.length) return from
    left -= value.length
  }
  return pieces.at(-1)?.from ?? 0
}
