import { dirname, join } from 'node:path'
import { NODE_HOST } from '@affine/settlement/host'
import {
  NETWORK_HELP,
  type OpenOptions,
  type OpenSubnet,
  type SubnetOpener,
} from '@affine/settlement/open-chain'
import { Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { ENV_FILE, isFromFile } from './environment.ts'
import { beginWait, endWait, type Output, output, printNotice } from './output.ts'
import { interrupted, raceAbort } from './run.ts'
import { CHAIN, createOption, createPathOption, ENV_MODULE } from './setting.ts'

const HEADING = 'Chain:'
const VARIABLE = 'SUBTENSOR_ENDPOINT'

/** Returns the option "--network". No variable sets it unless the caller adds variables. */
export const networkOption = (help: string) =>
  createOption({ ...CHAIN.network, help }).helpGroup(HEADING)

const createNetuidOption = () =>
  createOption(CHAIN.netuid).argParser(CHAIN.netuid.read).helpGroup(HEADING)

/** The option "--netuid", for commands that can work without a chain. No variable sets it. */
export const NETUID = createNetuidOption()

/** The option "--first-epoch" and its variable, for commands that decide epochs. */
export const FIRST_EPOCH = createOption(CHAIN.firstEpoch)
  .argParser(CHAIN.firstEpoch.read)
  .env('AFFINE_FIRST_EPOCH')
  .helpGroup(HEADING)

/**
 * The option "--env-module" and its variable, for commands that play or recompute. `run` loads the
 * modules.
 */
export const ENV_MODULES = createOption(ENV_MODULE).env('AFFINE_ENV_MODULE')

/**
 * Returns a command with "--json" and with examples in its help. In the value of an option for a
 * file or a folder, a `~` at the start becomes the home folder.
 */
export function createCommand(name: string, examples: string): Command<[], { json?: true }> {
  const command = new Command(name).addHelpText('before', `Examples:\n${examples}\n`)
  command.createOption = (usage, help = '') =>
    /<(?:file|folder)>$/.test(usage) ? createPathOption(usage, help) : new Option(usage, help)
  return command.option('--json', 'print JSON, one object a line')
}

export type ChainOptions = {
  network: string
  /** Origin of `network`: `--network`, a variable and its `.env` file if any, or `default`. */
  networkFrom?: string | undefined
  netuid?: number | undefined
  firstEpoch?: number | undefined
  json?: true
}

/**
 * Returns a command that reads a chain, which an option or a variable must name, unless there is a
 * `defaultNetwork`.
 */
export const chainCommand = (
  name: string,
  examples: string,
  defaultNetwork?: string,
): Command<[], ChainOptions> => {
  const network = networkOption(NETWORK_HELP).env(VARIABLE)
  if (defaultNetwork !== undefined) network.default(defaultNetwork)
  return createCommand(name, examples)
    .addOption(Object.assign(network.makeOptionMandatory(), { mandatory: false }))
    .addOption(createNetuidOption().env('AFFINE_NETUID'))
    .addOption(ENV_MODULES)
    .hook('preAction', (command, actionCommand) => {
      if (command !== actionCommand) return
      expectNetwork(command)
      command.setOptionValue('networkFrom', networkFrom(command))
    })
}

/**
 * Checks that there is a network. Commander would also require a mandatory "--network" before the
 * name of a subcommand that has its own, so "--network" is mandatory only for TypeScript.
 */
function expectNetwork(command: CommandUnknownOpts): void {
  if (command.getOptionValue('network') === undefined)
    command.error(
      `error: required option '--network <where>' or variable ${VARIABLE} not specified`,
    )
}

function networkFrom(command: CommandUnknownOpts): string | undefined {
  const source = command.getOptionValueSource('network')
  if (source === 'cli') return '--network'
  if (source !== 'env') return source
  return isFromFile(VARIABLE) ? `${VARIABLE} in ${ENV_FILE}` : VARIABLE
}

/**
 * Prints the network, its netuid if known, and `networkFrom` to standard error. Without
 * `networkFrom`, only an option can name the network, so prints nothing.
 */
export function printNetwork(
  { network, networkFrom: from }: Pick<ChainOptions, 'network' | 'networkFrom'>,
  netuid: number | undefined,
): void {
  const subnet = netuid === undefined ? '' : `, netuid ${netuid}`
  if (from !== undefined) printNotice(`network: ${network}${subnet} (${from})`)
}

/**
 * Opens the chain that `where` names. Prints a notice if there is no answer after five seconds and,
 * unless `options` has `onRetry`, the errors before retries.
 */
export async function openWithNotice(open: SubnetOpener, where: string, options: OpenOptions) {
  beginWait(`waiting for ${where}: no answer yet`)
  return open(where, NODE_HOST, { onRetry: printRetry, ...options }).finally(endWait)
}

const printRetry = ({ message }: Error): void => printNotice(`${message}; trying again`)

/**
 * Opens the chain that the options name, prints the network, runs `work`, and closes the chain.
 * Rejects if the chain cannot be opened, if `work` rejects, or if the user interrupts.
 */
export async function withChain(
  open: SubnetOpener,
  options: ChainOptions & OpenOptions,
  work: (opened: OpenSubnet, screen: Output, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signal = interrupted()
  await using opened = await raceAbort(openWithNotice(open, options.network, options), signal)
  printNetwork(options, opened.chain.netuid)
  const screen = output(options.json)
  screen.wait('reading the chain and the buckets')
  await raceAbort(work(opened, screen, signal), signal)
}

/** File with the names of hotkeys, in the folder of a chain's export. */
export const NAMES_FILE = 'names.json'

/**
 * Reads the names of hotkeys, for display, from the folder of a chain's export. Ignores a missing
 * or malformed file, and values that are not strings.
 */
export async function readNames(network: string): Promise<Readonly<Record<string, string>>> {
  const text = await NODE_HOST.readText(join(dirname(network), NAMES_FILE)).catch(() => '{}')
  try {
    const entries = Object.entries(JSON.parse(text) as object)
    return Object.fromEntries(entries.filter(([, name]) => typeof name === 'string'))
  } catch {
    return {}
  }
}
