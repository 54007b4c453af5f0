import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '@affine/chain'
import {
  type ChainOptions,
  chainCommand,
  type Given,
  output,
  printable,
  readNamed,
} from '@affine/terminal'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { variableWarnings } from '../settings/env-file.ts'
import { findSettings, givenIn, withSettings } from '../settings/found-settings.ts'
import { warn } from './narrate.ts'

/** Which account a command acts for. */
export type AccountOptions = {
  [name in 'key' | 'wallet' | 'hotkey' | 'walletPath']?: string | undefined
}

type Warn = (text: string) => void

const WAYS =
  'no hotkey named: give --key <file>, or --wallet <name> --hotkey <name>; ' +
  'or set AFFINE_HOTKEY, or BT_WALLET_COLD and BT_WALLET_HOT'

/** Adds the options that name an account. `readAccount` takes them. */
export function withAccount<T extends OptionValues>(
  command: Command<[], T>,
): Command<[], T & AccountOptions> {
  const whole = withSettings(command, ({ heading }) => heading === 'Hotkey')
  whole.options.find(({ long }) => long === '--wallet-path')?.hideHelp() // `af validate` shows it
  return whole
}

/** A command for an account on a chain, with "--json". */
export const accountOnChain = (name: string): Command<[], ChainOptions & AccountOptions> =>
  withAccount(chainCommand(name))

/**
 * The account that "--key" names; else "--wallet" and "--hotkey"; else AFFINE_HOTKEY; else
 * BT_WALLET_COLD and BT_WALLET_HOT, or btcli's BT_WALLET_NAME and BT_WALLET_HOTKEY, which also
 * stand in for one of the two options; if only one of the two is named, the other is `default`, as
 * in btcli. `warn` gets what should be fixed. `env` replaces the
 * environment.
 * @throws RangeError when no account is named, or when `readWallet`, `readHotkey` or `accountFrom`
 *   refuses it. No message quotes a secret.
 */
export async function readAccount(
  options: AccountOptions,
  warn: Warn,
  env: Given = process.env,
): Promise<Account> {
  // Slow to load.
  const { accountFrom, readHotkey, readWallet } = await import('@affine/chain/wallet')
  const isNamed = (options.key ?? options.wallet ?? options.hotkey) !== undefined
  if (env.AFFINE_HOTKEY && !isNamed) return accountFrom(env.AFFINE_HOTKEY, 'AFFINE_HOTKEY')
  const { key, walletPath, ...given } = givenIn(findSettings(options, env))
  if ((key ?? given.wallet ?? given.hotkey) === undefined) throw new RangeError(WAYS)
  const { wallet = 'default', hotkey = 'default' } = given
  const { account, warnings } = await (key === undefined
    ? readWallet({ wallet, hotkey, root: walletsAt(walletPath) })
    : readHotkey(key))
  for (const warning of warnings) warn(warning)
  return account
}

/**
 * The account of a validator, named as for `readAccount`.
 * @throws RangeError as `readAccount` does, and for an Ed25519 key. Protocol §1.4.
 */
export async function readValidator(...named: Parameters<typeof readAccount>): Promise<Account> {
  const account = await readAccount(...named)
  if (account.scheme === 'sr25519') return account
  throw new RangeError(`${wrongKeyText(account)}: ${KEY_ADVICE}`)
}

/** Returns why a validator cannot have an Ed25519 key. */
export const wrongKeyText = ({ hotkey }: Pick<Account, 'hotkey'>): string =>
  `${hotkey} is an Ed25519 key, and a validator signs its evidence with sr25519 ` +
  '(protocol 1.4, 6.2), so no one would accept its blocks'

export const KEY_ADVICE = 'make a hotkey of type sr25519, register it, and name it instead'

/** The folder of wallets: `path`, or Bittensor's own. */
export const walletsAt = (path = join(homedir(), '.bittensor', 'wallets')): string => path

/**
 * The account that the options name, as `read` reads it. Prints warnings about it, and of variables
 * not known.
 */
export function accountOf(
  options: AccountOptions & Pick<ChainOptions, 'json'>,
  read = readAccount,
): Promise<Account> {
  const say: Warn = (text) => warn(output(options.json), printable(text))
  for (const text of variableWarnings()) say(text)
  return readNamed(read(options, say))
}
