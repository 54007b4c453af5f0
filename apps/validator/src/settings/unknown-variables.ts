import { closest } from 'fastest-levenshtein'
import type { Given } from './group.ts'
import { SETTINGS } from './schema.ts'

const KNOWN = SETTINGS.flatMap(({ variables = [] }) => variables)

/** What other programs are told too begins otherwise. */
const OTHERS = /^(?:BT|CHUTES|SUBTENSOR)_|^NETUID$/
const beginningOf = (name: string): string => name.replace(/_.*/, '_')
const OURS = new Set(KNOWN.filter((name) => !OTHERS.test(name)).map(beginningOf))

/** May a file of settings give this variable? It is no way to change Node's own. */
export function isOurs(name: string): boolean {
  return OURS.has(beginningOf(name)) || OTHERS.test(name)
}

/** A sentence for each variable that looks like one of ours and is not, with the nearest. */
export function unknownIn(given: Given): readonly string[] {
  const names = Object.keys(given).filter((name) => OURS.has(beginningOf(name)))
  const unknown = names.filter((name) => !KNOWN.includes(name)).sort()
  return unknown.map((name) => `${name} is not known: is ${closest(name, KNOWN)} meant?`)
}
