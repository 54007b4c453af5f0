import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { NETWORK_HELP, type Opened, type OpenOptions, type openLive } from './open-chain.ts'
import { interrupted, type Output, output, raceAbort } from './output.ts'

type Reader = (text: string) => number
const number = (what: string, pattern: RegExp, low: number, high: number) => (text: string) => {
  if (pattern.test(text) && Number(text) >= low && Number(text) <= high) return Number(text)
  throw new InvalidArgumentError(`Expected a ${what}, ${low} to ${high}.`)
}
/** Reads an option that must be a whole number in a range. */
export const whole = (low: number, high: number): Reader =>
  number('whole number', /^\d+$/, low, high)
/** Reads an option that must be a share, 0 to 1. */
export const shareOption: Reader = number('number', /\S/, 0, 1)
const SUBNET = 'which subnet, where the network does not say it'
const START = "the epoch that all validators agreed to start with, instead of the network's"
type Where = Option<'--network <where>', undefined, undefined, undefined, true>
type Whole<Usage extends string> = Option<Usage, undefined, undefined, number>

/** With `NETUID` and `FIRST_EPOCH` the options by which every command names a chain. */
export const NETWORK: Where = new Option('--network <where>', NETWORK_HELP).makeOptionMandatory()
export const NETUID: Whole<'--netuid <n>'> = new Option('--netuid <n>', SUBNET).argParser(
  whole(0, 65_535),
)
export const FIRST_EPOCH: Whole<'--first-epoch <n>'> = new Option(
  '--first-epoch <n>',
  START,
).argParser(whole(0, 1e9))

export type ChainOptions = { network: string; netuid?: number; firstEpoch?: number; json?: true }

/** A command over a chain, with "--json". */
export const chainCommand = (name: string): Command<[], ChainOptions> =>
  new Command(name)
    .addOption(NETWORK)
    .addOption(NETUID)
    .addOption(FIRST_EPOCH)
    .option('--json', 'one JSON object a line')

type Work = (opened: Opened, screen: Output, signal: AbortSignal) => Promise<void>

/**
 * Does `work` over the chain that `open` opens as the options say, and closes it. Rejects once it
 * is interrupted.
 */
export async function onChain(
  open: typeof openLive,
  options: ChainOptions & OpenOptions,
  work: Work,
): Promise<void> {
  const signal = interrupted()
  await using opened = await raceAbort(open(options.network, options), signal)
  await raceAbort(work(opened, output(options.json), signal), signal)
}
