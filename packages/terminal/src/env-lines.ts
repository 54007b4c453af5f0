/** Texts by name of a setting or a variable. Empty texts count as missing. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/** Reports whether a file of settings may set a variable. No file may set Node's variables. */
export type IsOwnVariable = (name: string) => boolean

/** A line of a file of settings that names a variable. */
export interface EnvLine {
  /** Line number, from 1. */
  readonly number: number
  readonly name: string
  readonly value: string
}

/** The variables of a file of settings, and a fault for each unreadable line. */
export interface EnvLines {
  readonly lines: readonly EnvLine[]
  readonly faults: readonly string[]
}

/**
 * Matches control characters, line separators, replacements of bytes that are not UTF-8, and a
 * backslash at the end, which joins a line to the next in some programs.
 */
const UNREADABLE = /[^\P{Cc}\t]|[\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\ufffd]|\\$/u
const EMPTY_OR_COMMENT = /^(?:#.*)?$/
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/
const PLAIN = /^(?:[^\s\p{Cf}'"`#$\\]+(?: +[^\s\p{Cf}'"`#$\\]+)*)?$/u
const QUOTED = /^(?:'(?:[^'\t]*[^'\t\\])?'|"[^"\t$\\]*")$/
/** Matches a value that may continue in the next line. */
const BEGUN_QUOTE = /^[ \t]*['"`]/

const EXPECTED =
  'expected NAME=value in UTF-8, without "export", blanks around the name or the value, a ' +
  'comment after it, or "\\" at its end; put a value that has " ` # $ or \\ in it between two \''

/**
 * Reads the lines of a file of settings that systemd's `EnvironmentFile=`, Compose's `env_file`,
 * all releases of Node and, without quotes, `docker run --env-file` read identically. Ignores a
 * byte order mark. Accepts any value of another program's variable if it ends with its line;
 * callers must not use this value. Faults contain no values, which may be secret. Of several lines
 * with one variable the last counts. Never throws.
 */
export function readEnvLines(text: string, isOwnVariable: IsOwnVariable): EnvLines {
  const lines: EnvLine[] = []
  const faults: string[] = []
  const all = text.replace(/^\ufeff/, '').split(/\r?\n/)
  for (const [i, line] of all.entries()) {
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? []
    const isClear =
      name === undefined ? EMPTY_OR_COMMENT.test(line) : isUnambiguous(value, isOwnVariable(name))
    if (!isClear || UNREADABLE.test(line)) faults.push(`line ${i + 1}: ${EXPECTED}`)
    else if (name !== undefined)
      lines.push({ number: i + 1, name, value: QUOTED.test(value) ? value.slice(1, -1) : value })
  }
  return { lines, faults }
}

/**
 * Reports whether all programs that read such files read the same value. For another program's
 * variable it suffices that the value cannot continue in the next line.
 */
function isUnambiguous(value: string, isOurs: boolean): boolean {
  if (PLAIN.test(value) || QUOTED.test(value)) return true
  return !isOurs && !BEGUN_QUOTE.test(value)
}
