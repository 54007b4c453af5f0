import { readEnvLines } from '@affine/terminal'
import type { Found } from './sources.ts'

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
