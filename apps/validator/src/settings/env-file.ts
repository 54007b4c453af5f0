import { readEnvLine } from '@affine/terminal'
import type { SettingEntry } from './entries.ts'
import { SETTINGS } from './table.ts'

const KNOWN = SETTINGS.flatMap(({ variables = [] }) => variables)

/** Returns a warning for each unknown variable whose prefix only our settings have. */
export function checkVariables(): readonly string[] {
  const unknown = Object.keys(process.env).filter(
    (name) => /^(?:AFFINE|R2|S3|SUBTENSOR)_/.test(name) && !KNOWN.includes(name),
  )
  return unknown.sort().map((name) => `unknown variable ${name}: docs/settings.md lists all`)
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

/** Returns a line that `readEnvLine` reads, unquoted if possible: `docker run` keeps quotes. */
function formatEnvLine(name: string, value: string): string {
  const ways = ['', "'", '"'].map((quote) => `${name}=${quote}${value}${quote}`)
  const line = ways.find((way) => readEnvLine(way)?.[1] === value)
  if (line !== undefined) return `${line}\n`
  throw new RangeError(
    `"${name}" expected a value that Node, systemd and Docker read identically: without a line ` +
      'feed, without "\\" at its end, and if it contains "\'", without " $ \\',
  )
}
