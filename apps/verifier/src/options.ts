import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { NETWORK_HELP } from './open-chain.ts'

function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= low && Number(text) <= high) return Number(text)
    throw new InvalidArgumentError(`Expected a whole number, ${low} to ${high}.`)
  }
}

/** With `NETUID` and `FIRST_EPOCH` the options by which every command names a chain, for `openChain`. */
export const NETWORK: Option<'--network <where>', undefined, undefined, undefined, true> = new Option(
  '--network <where>',
  NETWORK_HELP,
).makeOptionMandatory()

export const NETUID: Option<'--netuid <n>', undefined, undefined, number> = new Option(
  '--netuid <n>',
  'which subnet, where the network does not say it',
).argParser(whole(0, 65_535))

export const FIRST_EPOCH: Option<'--first-epoch <n>', undefined, undefined, number> = new Option(
  '--first-epoch <n>',
  "the epoch that all validators agreed to start with, instead of the network's",
).argParser(whole(0, 2 ** 32 - 1))
