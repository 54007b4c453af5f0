import { quoted } from './python-tokens.ts'
import type { EngineKind, Template } from './templates.ts'

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

/**
 * Where in the text of an engine's arguments something stands that is not on its list, or has a
 * value that is not of its kind, and what. One may stand there twice, as the platform adds its own:
 * the engine takes the last, and both are harmless. Protocol §5.4.
 */
export function engineRefusals(
  text: string,
  engine: Template['engine'],
): readonly { readonly index: number; readonly why: string }[] {
  return [...text.matchAll(ARGUMENT)].flatMap((found) => {
    const { 1: name = '', 2: joined, 3: value = joined, index } = found
    const kind = ownOf(engine, name)
    if (kind === undefined) return [{ index, why: `${quoted(name)} is not on the list` }]
    const isFit = kind === 'alone' ? value === undefined : VALUES[kind].test(value ?? '')
    return isFit ? [] : [{ index, why: `${name} cannot be ${quoted(value ?? 'alone')}` }]
  })
}

/** What a record has under a name of a stranger's. */
export function ownOf<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
