import { closest, distance } from 'fastest-levenshtein'
import type { Given } from './group.ts'
import { SETTINGS } from './schema.ts'

const KNOWN = SETTINGS.flatMap(({ variables = [] }) => variables)

/** Variables that other programs read too. */
const OTHERS = /^(?:BT|CHUTES|SUBTENSOR)_|^NETUID$/
const beginningOf = (name: string): string => name.replace(/_.*/, '_')
const OURS = new Set(KNOWN.filter((name) => !OTHERS.test(name)).map(beginningOf))

/** May a file of settings set this variable? Such a file must not change Node's own variables. */
export function isOurs(name: string): boolean {
  return OURS.has(beginningOf(name)) || OTHERS.test(name)
}

/** A warning for each variable that looks like one of ours but is not, with the closest name. */
export function unknownIn(given: Given): readonly string[] {
  const names = Object.keys(given).filter((name) => OURS.has(beginningOf(name)))
  const unknown = names.filter((name) => !KNOWN.includes(name)).sort()
  return unknown.map((name) => `${name} is not known: did you mean ${closest(name, KNOWN)}?`)
}

/** Beginnings of the names that a validator's file of settings is for. */
const BEGINNINGS = /^(?:AFFINE|AF|BT|CHUTES|GCS|R2|S3|SUBTENSOR)_/i
/** So many letters may differ in a name that was mistyped. */
const TYPOS = 2

/**
 * A warning for each line of a file of settings that sets nothing, or seems to be meant for one of
 * our variables, but is not. No warning has a value, because it may be secret.
 */
export function lineWarnings(text: string, path: string): readonly string[] {
  return text.split('\n').flatMap((line, i) => {
    const wrong = wrongIn(line.trim())
    return wrong === undefined ? [] : [`${path}, line ${i + 1}: ${wrong}`]
  })
}

function wrongIn(line: string): string | undefined {
  if (line === '' || line.startsWith('#')) return undefined
  const [, name, value = ''] = /^(?:export\s+)?([\w.-]+)\s*=\s*(\S.*)?$/.exec(line) ?? []
  if (name === undefined) return 'it has no effect: expected NAME=value'
  if (/^(["'`])(?!.*\1)/.test(value)) return `the quote after ${name}= is not closed`
  if (KNOWN.includes(name)) return undefined
  const nearest = closest(name.toUpperCase(), KNOWN)
  const isMeant = BEGINNINGS.test(name) || distance(name.toUpperCase(), nearest) <= TYPOS
  return isMeant ? `${name} is not known: did you mean ${nearest}?` : undefined
}
