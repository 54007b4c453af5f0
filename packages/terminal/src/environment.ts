import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { type EnvLine, type IsOwnVariable, readEnvLines, type SettingTexts } from './env-lines.ts'
import { readNamed } from './fault-text.ts'

/** Loads the function that reports which variables `.env` may set. */
export type LoadIsOwnVariable = () => Promise<IsOwnVariable>

/** Reports whether a variable is Affine's or names a chain. */
const isOfChain: IsOwnVariable = (name) => /^(?:AFFINE|SUBTENSOR)_|^NETUID$/.test(name)

/**
 * The file of settings that was read, if any, its lines, and the variables that it set (`given`).
 */
export interface EnvFile {
  readonly path: string | undefined
  readonly lines: readonly EnvLine[]
  readonly given: SettingTexts
}

let current: EnvFile = { path: undefined, lines: [], given: {} }

export const envFile = (): EnvFile => current

/** Returns the environment without the variables that the file of settings set. */
export const ownVariables = (): SettingTexts =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !Object.hasOwn(current.given, name)),
  )

/**
 * Prepares the environment and the words of a command line:
 * - sets the variables of `.env`, or of the file that "--settings" names, for which
 *   the loaded function is true, unless the environment has them, empty or not;
 * - removes "--settings" from `words`.
 *
 * @throws RangeError, as a rejection, if "--settings" has no file, or if the file cannot be opened,
 *   is not regular, is over 256 MiB, or has an unreadable line.
 */
export async function readEnvironment(
  words: string[],
  loadIsOwnVariable: LoadIsOwnVariable = async () => isOfChain,
): Promise<void> {
  const path = removeOption(words, '--settings') ?? (existsSync('.env') ? '.env' : undefined)
  current = { path, lines: [], given: {} }
  if (path === undefined) return
  const isOwnVariable = await loadIsOwnVariable()
  const { NODE_HOST } = await import('@affine/settlement/host') // loads only if it is needed
  const text = await readNamed(NODE_HOST.readText(path))
  const { lines, faults } = readEnvLines(text, isOwnVariable)
  if (faults.length > 0) throw new RangeError(`${path}, ${faults.join('; ')}`)
  const missing = lines.filter(({ name }) => isOwnVariable(name) && process.env[name] === undefined)
  const given = Object.fromEntries(missing.map(({ name, value }) => [name, value]))
  current = { path, lines, given }
  Object.assign(process.env, given)
}

/** Removes an option from the words. Returns its value, if present. */
function removeOption(words: string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
  // All words after "--" are arguments.
  if (at === -1 || words.slice(0, at).includes('--')) return undefined
  const [word = '', next] = words.splice(at, words[at] === name ? 2 : 1)
  const value = word === name ? next : word.slice(name.length + 1)
  if (!value) throw new RangeError(`"${name}" expected a file`)
  return expandPath(value, name)
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
