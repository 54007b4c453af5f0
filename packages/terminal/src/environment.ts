import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { readNamed } from './fault-text.ts'

/** Texts by name of a setting or a variable. Empty texts count as missing. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/** The file of settings, in the folder in which a program is started. */
export const ENV_FILE = '.env'

/** The variables that the file of settings set. */
let fromFile: SettingTexts = {}

/** Reports whether the file of settings set a variable. */
export const isFromFile = (name: string): boolean => Object.hasOwn(fromFile, name)

/**
 * Sets our variables in `.env` that the environment lacks, and deletes empty variables, which
 * override `.env`.
 * @throws RangeError, as a rejection, if the file cannot be opened, is not regular, is over 256
 *   MiB, or has an unreadable line.
 */
export async function readEnvironment(): Promise<void> {
  const given = existsSync(ENV_FILE) ? await readEnvFile() : {}
  const missing = Object.entries(given).filter(([name]) => process.env[name] === undefined)
  fromFile = Object.fromEntries(missing)
  Object.assign(process.env, fromFile)
  for (const [name, value] of Object.entries(process.env))
    if (value === '' && OWN_LINE.test(name)) delete process.env[name]
}

async function readEnvFile(): Promise<SettingTexts> {
  const { NODE_HOST } = await import('@affine/settlement/host') // loads only if it is needed
  return parseEnvFile(await readNamed(NODE_HOST.readText(ENV_FILE)))
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
 * Matches a line that names a variable of ours before any "=". Other lines are ignored: no file may
 * set Node's variables.
 */
const OWN_LINE = /^(?!#)[^=]*\b(?:AFFINE|BT|CHUTES|R2|S3|SUBTENSOR)_/
const SETTING =
  /^(\w+)=(?:((?:[^\s'"`#$\\]+(?: +[^\s'"`#$\\]+)*)?)|'((?:[^']*[^'\\])?)'|"([^"$\\]*)")$/
/** Matches control characters, format characters, and replacements of bytes that are not UTF-8. */
const UNREADABLE = /[\p{C}\ufffd]/u

const EXPECTED =
  'expected NAME=value in UTF-8, without "export", blanks around the name or the value, a ' +
  'comment after it, or "\\" at its end; put a value that has " ` # $ or \\ in it between two \''

/**
 * Returns the name and the value in a line of a file of settings; undefined unless systemd's
 * `EnvironmentFile=`, Compose's `env_file`, all releases of Node and, without quotes, `docker run
 * --env-file` read the line identically.
 */
export function readEnvLine(line: string): readonly [name: string, value: string] | undefined {
  const [, name, plain, single, double] = SETTING.exec(line) ?? []
  if (name === undefined || UNREADABLE.test(line)) return undefined
  return [name, plain ?? single ?? double ?? '']
}

/**
 * Reads our variables in a file of settings. Of several lines with one variable the last counts.
 * @throws RangeError that names an unreadable line, and quotes no value, which may be secret.
 */
export function parseEnvFile(text: string): SettingTexts {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const settings = [...lines.entries()].filter(([, line]) => OWN_LINE.test(line))
  return Object.fromEntries(
    settings.map(([i, line]) => {
      const setting = readEnvLine(line)
      if (setting === undefined) throw new RangeError(`${ENV_FILE}, line ${i + 1}: ${EXPECTED}`)
      return setting
    }),
  )
}
