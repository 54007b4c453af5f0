import { closest } from 'fastest-levenshtein'
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
