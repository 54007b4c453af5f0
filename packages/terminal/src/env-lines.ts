/** Texts that were given, by the name of a setting or a variable. Empty texts do not count. */
export type Given = Readonly<Record<string, string | undefined>>

/** May a file of settings set this variable? Such a file must not change Node's own variables. */
export type IsOurs = (name: string) => boolean

/** A line of a file of settings that names a variable. */
export interface EnvLine {
  /** From 1. */
  readonly number: number
  readonly name: string
  readonly value: string
}

/** A file of settings: its variables, and for each line that cannot be read, what is wrong. */
export interface EnvLines {
  readonly lines: readonly EnvLine[]
  readonly faults: readonly string[]
}

/** Control characters, what may end a line, and what is left of bytes that are not UTF-8. */
const UNREADABLE = /[^\P{Cc}\t]|[\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\ufffd]/u
const EMPTY_OR_COMMENT = /^(?:#.*)?$/
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/
const PLAIN = /^(?:[^\s\p{Cf}'"`#$\\]+(?: +[^\s\p{Cf}'"`#$\\]+)*)?$/u
const QUOTED = /^(?:'(?:[^'\t]*[^'\t\\])?'|"[^"\t$\\]*")$/
/** A value that may go on in the next line. */
const BEGUN_QUOTE = /^[ \t]*['"`]/

/**
 * Reads a file of settings: only what systemd's `EnvironmentFile=`, Compose's `env_file` and all
 * releases of Node read alike, and without quotes `docker run --env-file` too. Ignores a byte order
 * mark. Of what is not ours, values may be anything that ends with its line; they are not to be
 * used. No fault has a value, because it may be secret. The last line that names a variable counts.
 * Never throws.
 */
export function readEnvLines(text: string, isOurs: IsOurs): EnvLines {
  const lines: EnvLine[] = []
  const faults: string[] = []
  for (const [i, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? []
    const fault = faultIn(line, name) ?? faultOfValue(name, value, isOurs)
    if (fault !== undefined) faults.push(`line ${i + 1}: ${fault}`)
    else if (name !== undefined)
      lines.push({ number: i + 1, name, value: QUOTED.test(value) ? value.slice(1, -1) : value })
  }
  return { lines, faults }
}

function faultIn(line: string, name: string | undefined): string | undefined {
  if (UNREADABLE.test(line))
    return 'it has a character that is not for text: type it anew, in UTF-8'
  if (line.endsWith('\\'))
    return 'some programs join it to the next line: remove the "\\" at its end'
  if (/^[ \t]/.test(line))
    return 'Node 20 reads blanks at its beginning as part of a name: remove them'
  if (name !== undefined || EMPTY_OR_COMMENT.test(line)) return undefined
  return 'expected NAME=value, without "export" and without blanks around the name'
}

function faultOfValue(name = '', value: string, isOurs: IsOurs): string | undefined {
  if (PLAIN.test(value) || QUOTED.test(value)) return undefined
  if (!isOurs(name) && !BEGUN_QUOTE.test(value)) return undefined
  return (
    `the value of ${name} can be read in several ways: remove blanks around it, put a comment on ` +
    `a line of its own, and put a value that has " \` # $ or \\ in it between two '`
  )
}
