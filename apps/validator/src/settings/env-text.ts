import type { Found } from './sources.ts'

const HEAD = '# Settings of `af validate`: `af config` shows them, `af doctor` tests them.\n'

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

/** Values that need no quotes: `docker run --env-file` does not support quotes. */
const PLAIN = /^[\w./:@%+,=-]*$/

/** Characters that systemd drops, or that Node reads differently. */
const UNREADABLE = /\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}/u

/**
 * A line that Node's `--env-file`, systemd's `EnvironmentFile=` and Compose's `env_file` read
 * alike. In single quotes every character stands for itself, except that Compose reads `\'` as a
 * quote. In double quotes systemd and Compose have escapes, and Compose expands `$`.
 */
function lineOf(name: string, value: string): string {
  if (PLAIN.test(value)) return `${name}=${value}\n`
  if (!UNREADABLE.test(value)) {
    if (!/'|\\$/.test(value)) return `${name}='${value}'\n`
    if (!/["$\\]/.test(value)) return `${name}="${value}"\n`
  }
  throw new RangeError(
    `"${name}" expected a value that Node, systemd and Docker read alike: without a line feed, ` +
      'without "\\" at its end, and if it contains "\'", without " $ \\',
  )
}
