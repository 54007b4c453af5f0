import type { Found } from './sources.ts'

const HEAD = '# Settings of `af validate`: `af config` shows them, `af doctor` tries them.\n'

/**
 * Settings that were given as the text of a `.env`, each by its first variable; one without a
 * variable is left out.
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

/** What every reader takes as it stands, without quotes: `docker run --env-file` knows none. */
const PLAIN = /^[\w./:@%+,=-]*$/

/** What systemd leaves out, or Node reads as something else. */
const UNREADABLE = /\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}/u

/**
 * A line that Node's `--env-file`, systemd's `EnvironmentFile=` and Compose's `env_file` read
 * alike. In single quotes all stands for itself, but that Compose reads `\'` as a quote; in double
 * ones systemd and Compose have escapes, and Compose expands `$`.
 */
function lineOf(name: string, value: string): string {
  if (PLAIN.test(value)) return `${name}=${value}\n`
  if (!UNREADABLE.test(value)) {
    if (!/'|\\$/.test(value)) return `${name}='${value}'\n`
    if (!/["$\\]/.test(value)) return `${name}="${value}"\n`
  }
  throw new RangeError(
    `"${name}" expected a value that Node, systemd and Docker read alike: no line feed, no "\\" ` +
      'at its end, and beside a "\'" none of " $ \\',
  )
}
