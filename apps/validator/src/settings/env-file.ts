import { ENV_FILE, envFile, type IsOwnVariable, ownVariables, readEnvLines } from '@affine/terminal'
import { closest, distance } from 'fastest-levenshtein'
import type { SettingEntry } from './entries.ts'
import { SETTINGS } from './table.ts'

const KNOWN = SETTINGS.flatMap(({ variables = [] }) => variables)

/** Matches variables that other programs read too. */
const OTHERS = /^(?:BT|CHUTES|SUBTENSOR)_|^NETUID$/
const cutPrefix = (name: string): string => name.replace(/_.*/, '_')
const OURS = new Set(KNOWN.filter((name) => !OTHERS.test(name)).map(cutPrefix))

export const isOwnVariable: IsOwnVariable = (name) => OURS.has(cutPrefix(name)) || OTHERS.test(name)

/** Prefixes of the variables that belong in a file of settings. */
const BEGINNINGS = /^(?:AFFINE|AF|BT|CHUTES|GCS|R2|S3|SUBTENSOR)_/i
/** Maximum edit distance of a mistyped name. */
const TYPOS = 2

function describeUnknown(name: string): readonly string[] {
  if (KNOWN.includes(name)) return []
  return [`unknown variable ${name}: did you mean ${findNearest(name)}?`]
}

const findNearest = (name: string): string => closest(name.toUpperCase(), KNOWN)

/** Returns a warning for each mistyped name in the environment and in the file of settings. */
export function checkVariables(): readonly string[] {
  const isMeant = (name: string): boolean =>
    BEGINNINGS.test(name) || distance(name.toUpperCase(), findNearest(name)) <= TYPOS
  const inFile = envFile().lines.flatMap(({ number, name }) =>
    isMeant(name)
      ? describeUnknown(name).map((text) => `${ENV_FILE}, line ${number}: ${text}`)
      : [],
  )
  const own = Object.keys(ownVariables()).filter((name) => OURS.has(cutPrefix(name)))
  return [...own.sort().flatMap(describeUnknown), ...inFile]
}

const HEAD = '# Settings of `af validate`. `af doctor` lists and tests them.\n'

/**
 * Returns the text of a `.env` with the given settings, each by its first variable. Omits settings
 * without a variable.
 * @throws RangeError for a value that no line can hold.
 */
export function formatEnvFile(entries: readonly SettingEntry[]): string {
  const lines = entries.flatMap(({ setting, value }) => {
    const [name] = setting.variables ?? []
    return name === undefined || value === undefined ? [] : formatEnvLine(name, value)
  })
  return HEAD + lines.join('')
}

/** Returns a line that `readEnvLines` reads, unquoted if possible: `docker run` keeps quotes. */
function formatEnvLine(name: string, value: string): string {
  const ways = ['', "'", '"'].map((quote) => `${name}=${quote}${value}${quote}`)
  const line = ways.find((way) => readEnvLines(way, () => true).lines[0]?.value === value)
  if (line !== undefined) return `${line}\n`
  throw new RangeError(
    `"${name}" expected a value that Node, systemd and Docker read identically: without a line ` +
      'feed, without "\\" at its end, and if it contains "\'", without " $ \\',
  )
}
