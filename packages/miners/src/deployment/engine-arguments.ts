import type { TextPiece } from './python-literal.ts'
import { quoted, SourceRefusal } from './source-refusal.ts'
import type { EngineKind, Template } from './templates.ts'

/** Nothing that a template, which splits at more than these blanks, could read as two words. */
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
  const words = [...text.matchAll(/[^ \n\t]+/g)]
  const seen = new Set<string>()
  for (let i = 0; i < words.length; i++) {
    const { 0: word = '', index = 0 } = words[i] ?? []
    const refuse = (why: string): SourceRefusal =>
      new SourceRefusal('ENGINE_ARGUMENT', placeOf(index, pieces), why)
    const [name = '', ...rest] = word.split('=')
    const kind = Object.hasOwn(engine, name) ? engine[name] : undefined
    if (kind === undefined) throw refuse(`${quoted(name)} is not on the list`)
    if (seen.has(name)) throw refuse(`${name} stands there twice`)
    seen.add(name)
    let value = rest.length > 0 ? rest.join('=') : undefined
    if (kind !== 'alone' && value === undefined) value = words[++i]?.[0]
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
