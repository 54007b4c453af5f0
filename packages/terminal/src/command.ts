import { printable } from '@affine/report'
import { NETWORK_HELP, type Open, type Opened, type OpenOptions } from '@affine/settlement'
import { NODE_HOST } from '@affine/settlement/node'
import {
  Command,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings'
import { maskUrls } from './fault-text.ts'
import { type Output, output } from './output.ts'
import { interrupted, raceAbort } from './run.ts'

/** A reader of an option that must be a whole number, `low` to `high`. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && isBetween(Number(text), low, high)) return Number(text)
    throw new InvalidArgumentError(`Expected a whole number, ${low} to ${high}.`)
  }
}

/** Reads an option that must be a share, 0 to 1. */
export function shareOption(text: string): number {
  if (/\S/.test(text) && isBetween(Number(text), 0, 1)) return Number(text)
  throw new InvalidArgumentError('Expected a number, 0 to 1.')
}

const isBetween = (value: number, low: number, high: number): boolean =>
  value >= low && value <= high

/** The heading of a chain's options in help. */
const CHAIN = 'Chain:'

type Whole<Usage extends string> = Option<Usage, undefined, undefined, number>

/** What an option is, and what stands for it if it is left out, for people. */
interface OptionHelp {
  readonly help: string
  readonly without: string
}

export const NETUID_HELP: OptionHelp = {
  help: 'the number of the subnet, if the network does not have a fixed one',
  without: '120 on finney',
}

export const FIRST_EPOCH_HELP: OptionHelp = {
  help:
    'the epoch that all validators agreed to start with, if the network does not have ' +
    'a fixed one',
  without: '27000 on finney',
}

const helpText = ({ help, without }: OptionHelp): string => `${help} (default: ${without})`

const netuidOption = (): Whole<'--netuid <n>'> =>
  new Option('--netuid <n>', helpText(NETUID_HELP)).argParser(whole(0, 65_535)).helpGroup(CHAIN)

/** This and `NETUID` are for commands that can work without a chain: no variable sets them. */
export const networkOption = (help: string): Option<'--network <where>'> =>
  new Option('--network <where>', help).helpGroup(CHAIN)

export const NETUID: Whole<'--netuid <n>'> = netuidOption()

/** For commands that decide epochs. */
export const FIRST_EPOCH: Whole<'--first-epoch <n>'> = new Option(
  '--first-epoch <n>',
  helpText(FIRST_EPOCH_HELP),
)
  .argParser(whole(0, 1e9))
  .env('AFFINE_FIRST_EPOCH')
  .helpGroup(CHAIN)

export type ChainOptions = {
  network: string
  netuid?: number | undefined
  firstEpoch?: number | undefined
  json?: true
}

/** A command that reads a chain, which the environment may name; with "--json". */
export const chainCommand = (name: string): Command<[], ChainOptions> => {
  const network = networkOption(NETWORK_HELP).env('SUBTENSOR_ENDPOINT')
  return new Command(name)
    .option('--json', 'print JSON, one object a line')
    .addOption(network.makeOptionMandatory())
    .addOption(byVariables(netuidOption(), ['AFFINE_NETUID', 'NETUID']))
    .hook('preAction', (_, command) => addFallback(command))
}

/**
 * Sets an option by the first of these variables that is set; commander itself supports only one.
 */
function byVariables<T extends Option>(option: T, names: readonly [string, ...string[]]): T {
  const get = (): string => names.find((name) => process.env[name]) ?? names[0]
  return Object.defineProperty(option, 'envVar', { get })
}

/** Adds the fallback node to the nodes that a variable names. */
function addFallback(command: CommandUnknownOpts): void {
  const { SUBTENSOR_ENDPOINT: nodes, SUBTENSOR_FALLBACK: fallback } = process.env
  if (fallback && command.getOptionValueSource('network') === 'env')
    command.setOptionValueWithSource('network', `${nodes},${fallback}`, 'env')
}

/** A chain that has not answered for so long is waited for, and that is said. */
const WORD_MS = 5000

/**
 * Opens the chain that `where` names. Says on standard error that it waits for an answer, and, if
 * `options` do not say it elsewhere, what is tried again.
 */
export async function openSaying(open: Open, where: string, options: OpenOptions): Promise<Opened> {
  const say = (text: string): void => {
    process.stderr.write(`${printable(maskUrls(text), 1000)}\n`)
  }
  const word = setTimeout(say, WORD_MS, `waiting for ${where}: no answer yet`)
  const onRetry = ({ message }: Error): void => say(`${message}; trying again`)
  return open(where, NODE_HOST, { onRetry, ...options }).finally(() => clearTimeout(word))
}

/** What a command does with an open chain, until the signal aborts. */
export type Work = (opened: Opened, screen: Output, signal: AbortSignal) => Promise<void>

/**
 * Opens the chain that the options name, does `work` with it, and closes it. Rejects when it is
 * interrupted.
 */
export async function onChain(
  open: Open,
  options: ChainOptions & OpenOptions,
  work: Work,
): Promise<void> {
  const signal = interrupted()
  await using opened = await raceAbort(openSaying(open, options.network, options), signal)
  await raceAbort(work(opened, output(options.json), signal), signal)
}
