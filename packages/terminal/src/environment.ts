import { existsSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { NODE_HOST } from '@affine/settlement/node'
import {
  type CommandUnknownOpts,
  InvalidArgumentError,
  type Option,
} from '@commander-js/extra-typings'

/** Variables by their names. */
type Variables = Readonly<Record<string, string | undefined>>

/** What a file of settings may give: it is no way to change Node's own. */
const OURS = /^(?:AFFINE|BT|CHUTES|R2|S3|SUBTENSOR)_|^NETUID$/

/** What btcli calls its options, and what they are here. */
const BTCLI = new Map([
  ['--wallet.name', '--wallet'],
  ['--wallet.hotkey', '--hotkey'],
  ['--wallet.path', '--wallet-path'],
  ['--subtensor.network', '--network'],
  ['--subtensor.chain_endpoint', '--network'],
])

/** The variables that do for the options of a command over a chain: the first not empty counts. */
const VARIABLES = new Map([
  ['--network', ['SUBTENSOR_ENDPOINT']],
  ['--netuid', ['AFFINE_NETUID', 'NETUID']],
  ['--first-epoch', ['AFFINE_FIRST_EPOCH']],
  ['--buckets', ['AFFINE_BUCKETS']],
])

/** What another variable adds to one, behind a comma. */
const ADDITIONS = new Map([['SUBTENSOR_ENDPOINT', 'SUBTENSOR_FALLBACK']])

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
 * which goes from `words`; and options by btcli's names under ours.
 * @throws RangeError for what is no regular file. Rejects when a file that is named is missing.
 */
export async function readEnvironment(words: string[]): Promise<void> {
  for (const [i, word] of words.slice(0, endOfOptions(words)).entries()) {
    const [name = '', ...value] = word.split('=')
    const ours = BTCLI.get(name)
    if (ours !== undefined) words[i] = [ours, ...value].join('=')
  }
  const path = takeOption(words, '--env-file') ?? (existsSync('.env') ? '.env' : undefined)
  if (path === undefined) return
  const all = Object.entries(parseEnv(await NODE_HOST.readText(path)))
  const lacking = all.filter(([name]) => OURS.test(name) && process.env[name] === undefined)
  read = { path, given: Object.fromEntries(lacking) }
  Object.assign(process.env, read.given)
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

/**
 * Gives the command that `words` name what the environment has for its options, if it is one that
 * needs a chain: where a chain may be left out, to name it says something else.
 */
export function giveVariables(program: CommandUnknownOpts, words: readonly string[]): void {
  const command = commandNamed(program, words)
  if (!command.options.some(({ long, mandatory }) => long === '--network' && mandatory)) return
  for (const option of command.options) giveVariable(command, option)
}

function giveVariable(command: CommandUnknownOpts, option: Option): void {
  const variables = VARIABLES.get(option.long ?? '') ?? []
  const name = variables.find((each) => process.env[each])
  if (name === undefined) return
  try {
    const texts = [process.env[name], process.env[ADDITIONS.get(name) ?? '']]
    const text = texts.filter(Boolean).join()
    const value: unknown = option.parseArg?.(text, undefined) ?? text
    command.setOptionValueWithSource(option.attributeName(), value, 'env')
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    command.error(`error: ${name}: ${error.message}`)
  }
}

function commandNamed(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  let named = program
  for (const word of words) {
    const next = named.commands.find((command) => command.name() === word)
    if (next === undefined) return named
    named = next
  }
  return named
}
