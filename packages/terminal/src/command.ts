import { NETWORK_HELP, type Open, type Opened, type OpenOptions } from '@affine/settlement'
import { NODE_HOST } from '@affine/settlement/node'
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type Output, output } from './output.ts'
import { interrupted, raceAbort } from './run.ts'

/** Reads an option's text. */
type Reader = (text: string) => number

/** Reads an option that must be a whole number in a range. */
export function whole(low: number, high: number): Reader {
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

type Where = Option<'--network <where>', undefined, undefined, undefined, true>
type Whole<Usage extends string> = Option<Usage, undefined, undefined, number>

/** With `NETUID` and `FIRST_EPOCH` the options by which every command names a chain. */
export const NETWORK: Where = new Option('--network <where>', NETWORK_HELP).makeOptionMandatory()

export const NETUID: Whole<'--netuid <n>'> = new Option(
  '--netuid <n>',
  'which subnet, where the network does not say it',
).argParser(whole(0, 65_535))

export const FIRST_EPOCH: Whole<'--first-epoch <n>'> = new Option(
  '--first-epoch <n>',
  "the epoch that all validators agreed to start with, instead of the network's",
).argParser(whole(0, 1e9))

export type ChainOptions = {
  network: string
  netuid?: number | undefined
  firstEpoch?: number | undefined
  json?: true
}

/** A command over a chain, with "--json". */
export const chainCommand = (name: string): Command<[], ChainOptions> =>
  new Command(name)
    .addOption(NETWORK)
    .addOption(NETUID)
    .addOption(FIRST_EPOCH)
    .option('--json', 'one JSON object a line')

/** What a command does over an open chain, until the signal aborts. */
export type Work = (opened: Opened, screen: Output, signal: AbortSignal) => Promise<void>

/**
 * Does `work` over the chain that `open` opens as the options say, and closes it. Rejects once it
 * is interrupted.
 */
export async function onChain(
  open: Open,
  options: ChainOptions & OpenOptions,
  work: Work,
): Promise<void> {
  const signal = interrupted()
  await using opened = await raceAbort(open(options.network, NODE_HOST, options), signal)
  await raceAbort(work(opened, output(options.json), signal), signal)
}
