import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { NODE_HOST } from '@affine/settlement/host'
import { type EnvLine, type Given, type IsOurs, readEnvLines } from './env-lines.ts'
import { readNamed } from './fault-text.ts'

/** The variables that name a chain, and where its buckets are. */
const isOfChain: IsOurs = (name) => /^(?:AFFINE|SUBTENSOR)_|^NETUID$/.test(name)

/** The file of settings that was read, if any, its lines, and the variables that came from it. */
export interface EnvFile {
  readonly path: string | undefined
  readonly lines: readonly EnvLine[]
  readonly given: Given
}

let read: EnvFile = { path: undefined, lines: [], given: {} }

/** The file of settings of this process. */
export const envFile = (): EnvFile => read

/** The environment, without what came from the file of settings. */
export const ownVariables = (): Given =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !Object.hasOwn(read.given, name)),
  )

/**
 * Prepares the environment and the words of a command line:
 * - adds our variables from `.env`, or from the file that "--settings" names, unless they are set;
 * - removes "--settings" from `words`;
 * - deletes our variables that are empty.
 *
 * @throws RangeError, as a rejection, if it is missing or not a regular file, or has a line that
 *   cannot be read.
 */
export async function readEnvironment(words: string[], isOurs: IsOurs = isOfChain): Promise<void> {
  const path = takeOption(words, '--settings') ?? (existsSync('.env') ? '.env' : undefined)
  read = { path, lines: [], given: {} }
  if (path !== undefined) {
    const text = await readNamed(NODE_HOST.readText(path))
    const { lines, faults } = readEnvLines(text, isOurs)
    if (faults.length > 0) throw new RangeError(`${path}, ${faults.join('; ')}`)
    const missing = lines.filter(({ name }) => isOurs(name) && process.env[name] === undefined)
    const given = Object.fromEntries(missing.map(({ name, value }) => [name, value]))
    read = { path, lines, given }
    Object.assign(process.env, read.given)
  }
  for (const name of Object.keys(process.env))
    if (isOurs(name) && process.env[name] === '') delete process.env[name]
}

/** Removes an option from the words and returns its value; undefined if it is not there. */
function takeOption(words: string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
  // All words after "--" are arguments.
  if (at === -1 || words.slice(0, at).includes('--')) return undefined
  const [word = '', next] = words.splice(at, words[at] === name ? 2 : 1)
  const value = word === name ? next : word.slice(name.length + 1)
  if (!value) throw new RangeError(`"${name}" expected a file`)
  return wholePath(value, name)
}

/**
 * A path with the home folder instead of `~`, which no shell expands in `--out=~/x`, in a file of
 * settings or in a unit of systemd.
 * @throws RangeError, which calls the path `name`, for `~bob`, the home of another user.
 */
export function wholePath(path: string, name: string): string {
  if (!path.startsWith('~')) return path
  if (/^~(?:\/|$)/.test(path)) return homedir() + path.slice(1)
  const ways = 'a whole path, or one that begins with "~/" or "./"'
  throw new RangeError(`"${name}" expected ${ways}, got ${JSON.stringify(path)}`)
}
