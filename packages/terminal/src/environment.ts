import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { readNamed } from './fault-text.ts'

/** Texts by name of a setting or a variable. Empty texts count as missing. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/** Reports whether a file of settings may set a variable. No file may set Node's variables. */
export type IsOwnVariable = (name: string) => boolean

/** A line of a file of settings that names a variable. `number` is the line number, from 1. */
interface EnvLine {
  readonly number: number
  readonly name: string
  readonly value: string
}

/** Loads the function that reports which variables `.env` may set. */
export type LoadIsOwnVariable = () => Promise<IsOwnVariable>

/** Reports whether a variable is Affine's or names a chain. */
const isOfChain: IsOwnVariable = (name) => /^(?:AFFINE|SUBTENSOR)_|^NETUID$/.test(name)

/** The file of settings, in the folder in which a program is started. */
export const ENV_FILE = '.env'

/** The lines of the file of settings, and the variables that it set. */
interface EnvFile {
  readonly lines: readonly EnvLine[]
  readonly given: SettingTexts
}

let current: EnvFile = { lines: [], given: {} }

/** Returns the file of settings that this process read. */
export const envFile = (): EnvFile => current

/** Returns the environment without the variables that the file of settings set. */
export const ownVariables = (): SettingTexts =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !Object.hasOwn(current.given, name)),
  )

/**
 * Sets the variables of `.env` for which the loaded function is true, unless the environment has
 * them, empty or not.
 * @throws RangeError, as a rejection, if the file cannot be opened, is not regular, is over 256
 *   MiB, or has an unreadable line.
 */
export async function readEnvironment(
  loadIsOwnVariable: LoadIsOwnVariable = async () => isOfChain,
): Promise<void> {
  current = { lines: [], given: {} }
  if (!existsSync(ENV_FILE)) return
  const isOwnVariable = await loadIsOwnVariable()
  const { NODE_HOST } = await import('@affine/settlement/host') // loads only if it is needed
  const text = await readNamed(NODE_HOST.readText(ENV_FILE))
  const { lines, faults } = readEnvLines(text, isOwnVariable)
  if (faults.length > 0) throw new RangeError(`${ENV_FILE}, ${faults.join('; ')}`)
  const missing = lines.filter(({ name }) => isOwnVariable(name) && process.env[name] === undefined)
  const given = Object.fromEntries(missing.map(({ name, value }) => [name, value]))
  current = { lines, given }
  Object.assign(process.env, given)
}

/**
 * Returns a path with the home folder for `~`, which no shell expands in `--out=~/x`, in a file of
 * settings or in a unit of systemd. `name` names the path in errors.
 * @throws RangeError for `~bob`, the home of another user.
 */
export function expandPath(path: string, name: string): string {
  if (!path.startsWith('~')) return path
  if (/^~(?:\/|$)/.test(path)) return homedir() + path.slice(1)
  const forms = 'an absolute path, or a path that begins with "~/" or "./"'
  throw new RangeError(`"${name}" expected ${forms}, got ${JSON.stringify(path)}`)
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
export function readEnvLines(text: string, isOwnVariable: IsOwnVariable) {
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
