import { envFile, type IsOurs, ownVariables, readEnvLines } from '@affine/terminal'
import { closest, distance } from 'fastest-levenshtein'
import type { Found } from './found-settings.ts'
import { SETTINGS } from './table.ts'

const KNOWN = SETTINGS.flatMap(({ variables = [] }) => variables)

/** Variables that other programs read too. */
const OTHERS = /^(?:BT|CHUTES|SUBTENSOR)_|^NETUID$/
const beginningOf = (name: string): string => name.replace(/_.*/, '_')
const OURS = new Set(KNOWN.filter((name) => !OTHERS.test(name)).map(beginningOf))

/** May a file of settings set this variable? */
export const isOurs: IsOurs = (name) => OURS.has(beginningOf(name)) || OTHERS.test(name)

/** Beginnings of the names that a validator's file of settings is for. */
const BEGINNINGS = /^(?:AFFINE|AF|BT|CHUTES|GCS|R2|S3|SUBTENSOR)_/i
/** So many letters may differ in a name that was mistyped. */
const TYPOS = 2

function unknown(name: string): readonly string[] {
  if (KNOWN.includes(name)) return []
  return [`${name} is not known: did you mean ${nearest(name)}?`]
}

const nearest = (name: string): string => closest(name.toUpperCase(), KNOWN)

/** A warning for each mistyped name in the environment and in the file of settings. */
export function variableWarnings(): readonly string[] {
  const { path, lines } = envFile()
  const isMeant = (name: string): boolean =>
    BEGINNINGS.test(name) || distance(name.toUpperCase(), nearest(name)) <= TYPOS
  const inFile = lines.flatMap(({ number, name }) =>
    isMeant(name) ? unknown(name).map((text) => `${path}, line ${number}: ${text}`) : [],
  )
  const own = Object.keys(ownVariables()).filter((name) => OURS.has(beginningOf(name)))
  return [...own.sort().flatMap(unknown), ...inFile]
}

const HEAD = '# Settings of `af validate`: `af doctor` shows and tests them.\n'

/**
 * The text of a `.env` with the settings that were given, each by its first variable. A setting
 * without a variable is left out.
 * @throws RangeError for a value that no line can hold.
 */
export function envText(found: readonly Found[]): string {
  const given = found.filter(({ from }) => from !== 'default')
  const lines = given.flatMap(({ setting, value }) => {
    const [name] = setting.variables ?? []
    return name === undefined || value === undefined ? [] : lineOf(name, value)
  })
  return HEAD + lines.join('')
}

/** A line that `readEnvLines` reads. In no quotes, if possible: `docker run` does not know them. */
function lineOf(name: string, value: string): string {
  const ways = ['', "'", '"'].map((quote) => `${name}=${quote}${value}${quote}`)
  const line = ways.find((way) => readEnvLines(way, () => true).lines[0]?.value === value)
  if (line !== undefined) return `${line}\n`
  throw new RangeError(
    `"${name}" expected a value that Node, systemd and Docker read alike: without a line feed, ` +
      'without "\\" at its end, and if it contains "\'", without " $ \\',
  )
}
