import { printable } from '@affine/report/text'
import { NODE_HOST } from '@affine/settlement/host'
import {
  NETWORK_HELP,
  type Open,
  type Opened,
  type OpenOptions,
} from '@affine/settlement/open-chain'
import { Command, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings'
import { envFile } from './environment.ts'
import { maskUrls } from './fault-text.ts'
import { fit } from './fit.ts'
import { type Output, output } from './output.ts'
import { interrupted, raceAbort } from './run.ts'
import { CHAIN, optionOf, type Setting } from './setting.ts'

/** The heading of a chain's options in help. */
const HEADING = 'Chain:'

type Whole<Usage extends string> = Option<Usage, undefined, undefined, number>

/** This and `NETUID` are for commands that can work without a chain: no variable sets them. */
export const networkOption = (help: string): Option<'--network <where>'> =>
  optionOf({ ...CHAIN.network, help }).helpGroup(HEADING)

const netuidOption = (): Whole<'--netuid <n>'> =>
  optionOf(CHAIN.netuid).argParser(CHAIN.netuid.read).helpGroup(HEADING)

export const NETUID: Whole<'--netuid <n>'> = netuidOption()

/** For commands that decide epochs. */
export const FIRST_EPOCH: Whole<'--first-epoch <n>'> = byVariables(
  optionOf(CHAIN.firstEpoch).argParser(CHAIN.firstEpoch.read).helpGroup(HEADING),
  CHAIN.firstEpoch,
)

export type ChainOptions = {
  network: string
  /** The option or variable that named the network, and its file; for `sayNetwork`. */
  networkFrom?: string | undefined
  netuid?: number | undefined
  firstEpoch?: number | undefined
  json?: true
}

/**
 * A command that reads a chain, which the environment may name; with "--json". Without
 * `defaultNetwork` a network is required.
 */
export const chainCommand = (name: string, defaultNetwork?: string): Command<[], ChainOptions> => {
  const network = byVariables(networkOption(NETWORK_HELP), CHAIN.network)
  if (defaultNetwork !== undefined) network.default(defaultNetwork)
  return new Command(name)
    .option('--json', 'print JSON, one object a line')
    .addOption(network.makeOptionMandatory())
    .addOption(byVariables(netuidOption(), CHAIN.netuid))
    .hook('preAction', (_, command) => {
      addFallback(command)
      command.setOptionValue('networkFrom', networkFrom(command))
    })
}

/**
 * Sets an option by the first variable of its setting that is set; commander itself supports only
 * one.
 */
function byVariables<T extends Option>(option: T, { variables: names }: Setting): T {
  const get = () => names?.find((name) => process.env[name]) ?? names?.[0]
  return Object.defineProperty(option, 'envVar', { get })
}

/** Adds the fallback node to the nodes that a variable names. */
function addFallback(command: CommandUnknownOpts): void {
  const { SUBTENSOR_ENDPOINT: nodes, SUBTENSOR_FALLBACK: fallback } = process.env
  if (fallback && command.getOptionValueSource('network') === 'env')
    command.setOptionValueWithSource('network', `${nodes},${fallback}`, 'env')
}

/** Returns the option or variable that named the network, with the file of a variable. */
function networkFrom(command: CommandUnknownOpts): string | undefined {
  const source = command.getOptionValueSource('network')
  if (source === 'cli') return '--network'
  if (source !== 'env') return source
  const [name = ''] = CHAIN.network.variables
  const { path, given } = envFile()
  return Object.hasOwn(given, name) ? `${name} in ${path}` : name
}

/** Writes a line to standard error, without secrets of URLs. */
const say = (text: string): void => {
  process.stderr.write(`${fit(printable(maskUrls(text), 1000))}\n`)
}

/**
 * Prints the network, its netuid if known, and what named it, on standard error. Prints nothing if
 * that is undefined, because only an option can name the network of the command.
 */
export function sayNetwork(
  { network, networkFrom: from }: Pick<ChainOptions, 'network' | 'networkFrom'>,
  netuid: number | undefined,
): void {
  const subnet = netuid === undefined ? '' : `, netuid ${netuid}`
  if (from !== undefined) say(`network: ${network}${subnet} (${from})`)
}

/** A chain that has not answered for so long is waited for, and that is said. */
const WORD_MS = 5000

/**
 * Opens the chain that `where` names. Says on standard error that it waits for an answer, and, if
 * `options` do not say it elsewhere, what is tried again.
 */
export async function openSaying(open: Open, where: string, options: OpenOptions): Promise<Opened> {
  const word = setTimeout(say, WORD_MS, `waiting for ${where}: no answer yet`)
  const onRetry = ({ message }: Error): void => say(`${message}; trying again`)
  return open(where, NODE_HOST, { onRetry, ...options }).finally(() => clearTimeout(word))
}

/** What a command does with an open chain, until the signal aborts. */
export type Work = (opened: Opened, screen: Output, signal: AbortSignal) => Promise<void>

/**
 * Opens the chain that the options name, prints which it is, does `work` with it, and closes it.
 * Rejects when it is interrupted.
 */
export async function onChain(
  open: Open,
  options: ChainOptions & OpenOptions,
  work: Work,
): Promise<void> {
  const signal = interrupted()
  await using opened = await raceAbort(openSaying(open, options.network, options), signal)
  sayNetwork(options, opened.chain.netuid)
  await raceAbort(work(opened, output(options.json), signal), signal)
}
