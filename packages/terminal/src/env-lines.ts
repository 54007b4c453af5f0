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

/** A file of settings: its variables, and a fault for each line that cannot be read. */
export interface EnvLines {
  readonly lines: readonly EnvLine[]
  readonly faults: readonly string[]
}

/**
 * Control characters, line separators, the rest of bytes that are not UTF-8, and a backslash at the
 * end, by which some programs join a line to the next one.
 */
const UNREADABLE = /[^\P{Cc}\t]|[\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\ufffd]|\\$/u
const EMPTY_OR_COMMENT = /^(?:#.*)?$/
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/
const PLAIN = /^(?:[^\s\p{Cf}'"`#$\\]+(?: +[^\s\p{Cf}'"`#$\\]+)*)?$/u
const QUOTED = /^(?:'(?:[^'\t]*[^'\t\\])?'|"[^"\t$\\]*")$/
/** A value that may continue in the next line. */
const BEGUN_QUOTE = /^[ \t]*['"`]/

const EXPECTED =
  'expected NAME=value in UTF-8, without "export", blanks around the name or the value, a comment ' +
  'after it, or "\\" at its end; put a value that has " ` # $ or \\ in it between two \''

/**
 * Reads a file of settings: only what systemd's `EnvironmentFile=`, Compose's `env_file` and all
 * releases of Node read identically, and without quotes `docker run --env-file` too. Ignores a byte
 * order mark. A value that is not ours may be anything that ends with its line, and is not to be
 * used. No fault has a value, because it may be secret. The last line that names a variable counts.
 * Never throws.
 */
export function readEnvLines(text: string, isOurs: IsOurs): EnvLines {
  const lines: EnvLine[] = []
  const faults: string[] = []
  const all = text.replace(/^\ufeff/, '').split(/\r?\n/)
  for (const [i, line] of all.entries()) {
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? []
    const isClear =
      name === undefined ? EMPTY_OR_COMMENT.test(line) : isReadAlike(value, isOurs(name))
    if (!isClear || UNREADABLE.test(line)) faults.push(`line ${i + 1}: ${EXPECTED}`)
    else if (name !== undefined)
      lines.push({ number: i + 1, name, value: QUOTED.test(value) ? value.slice(1, -1) : value })
  }
  return { lines, faults }
}

/** Reports whether all programs read the same value; if it is not ours, whether it ends there. */
function isReadAlike(value: string, isOurs: boolean): boolean {
  if (PLAIN.test(value) || QUOTED.test(value)) return true
  return !isOurs && !BEGUN_QUOTE.test(value)
}
