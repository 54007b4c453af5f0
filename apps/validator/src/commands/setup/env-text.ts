import { parseEnv } from 'node:util'
import type { Found } from '../../service/setting-sources.ts'

const HEAD = '# Settings of `af validate`: `af config` shows them, `af doctor` tries them.\n'

/**
 * Settings that were given as the text of a `.env`, each by its first variable; one without a
 * variable is left out.
 * @throws RangeError for a value that no line can hold.
 */
export function envText(found: readonly Found[]): string {
  const given = found.filter(({ from }) => from !== 'default')
  const lines = given.flatMap(({ setting, value }) => {
    const [name] = setting.variables
    return name === undefined || value === undefined ? [] : lineOf(name, value)
  })
  return HEAD + lines.join('')
}

/** Without quotes where it can be: systemd and Docker read it too, and Docker knows none. */
function lineOf(name: string, value: string): string {
  const ways = ['', '"', "'"].map((quote) => `${name}=${quote}${value}${quote}\n`)
  const line = ways.find((way) => parseEnv(way)[name] === value)
  if (line !== undefined) return line
  throw new RangeError(`"${name}" expected no line feed, and one kind of quotes at most`)
}
