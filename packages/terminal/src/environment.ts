import { existsSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { NODE_HOST } from '@affine/settlement/node'

/** Variables by their names. */
type Variables = Readonly<Record<string, string | undefined>>

/** What btcli calls its options, and what they are here. */
const BTCLI = new Map([
  ['--wallet.name', '--wallet'],
  ['--wallet.hotkey', '--hotkey'],
  ['--wallet.path', '--wallet-path'],
  ['--subtensor.network', '--network'],
  ['--subtensor.chain_endpoint', '--network'],
])

/** May a file of settings give this variable? It is no way to change Node's own. */
export type IsOurs = (name: string) => boolean

/** The variables that name a chain, and where its buckets are. */
const isChains: IsOurs = (name) => /^(?:AFFINE|SUBTENSOR)_|^NETUID$/.test(name)

/** The file of settings that was read, if there is one, and what the environment lacked of it. */
export interface EnvFile {
  readonly path: string | undefined
  readonly given: Variables
}

let read: EnvFile = { path: undefined, given: {} }

/** The file of settings of this process. */
export const envFile = (): EnvFile => read

/**
 * Puts into the environment what it lacks and `.env` has, or the file that "--env-file" names,
 * which goes from `words`, as far as it is ours; takes out of it what is ours and empty; and puts
 * options by btcli's names under ours.
 * @throws RangeError for what is no regular file. Rejects when a file that is named is missing.
 */
export async function readEnvironment(words: string[], isOurs: IsOurs = isChains): Promise<void> {
  for (const [i, word] of words.slice(0, endOfOptions(words)).entries()) {
    const [name = '', ...value] = word.split('=')
    const ours = BTCLI.get(name)
    if (ours !== undefined) words[i] = [ours, ...value].join('=')
  }
  const path = takeOption(words, '--env-file') ?? (existsSync('.env') ? '.env' : undefined)
  if (path !== undefined) {
    const all = Object.entries(parseEnv(await NODE_HOST.readText(path)))
    const lacking = all.filter(([name]) => isOurs(name) && process.env[name] === undefined)
    read = { path, given: Object.fromEntries(lacking) }
    Object.assign(process.env, read.given)
  }
  for (const name of Object.keys(process.env))
    if (isOurs(name) && process.env[name] === '') delete process.env[name]
}

/** Where the words are that are arguments, whatever they look like. */
function endOfOptions(words: readonly string[]): number {
  const at = words.indexOf('--')
  return at === -1 ? words.length : at
}

/** Takes an option and its value out of the words; undefined when it is not among them. */
function takeOption(words: string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
  if (at === -1 || at > endOfOptions(words)) return undefined
  const [word = '', next] = words.splice(at, words[at] === name ? 2 : 1)
  const value = word === name ? next : word.slice(name.length + 1)
  if (!value) throw new RangeError(`"${name}" expected a file`)
  return value
}
