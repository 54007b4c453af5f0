import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '@affine/chain'
import { type ChainOptions, chainCommand, output, readNamed } from '@affine/terminal'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { addSettingOptions, findSettings, pickGiven } from '../settings/entries.ts'
import { checkVariables } from '../settings/env-file.ts'
import { warn } from './narrate.ts'

export type AccountOptions = {
  [name in 'key' | 'wallet' | 'hotkey' | 'walletPath']?: string | undefined
}

type Warn = (text: string) => void

const NO_HOTKEY =
  'no hotkey: use --key <file>, or --wallet <name> and --hotkey <name>; ' +
  'or set AFFINE_HOTKEY, AFFINE_KEY, or BT_WALLET_COLD and BT_WALLET_HOT'

/** Adds the options that `readAccount` takes. */
export const addAccountOptions = <T extends OptionValues>(
  command: Command<[], T>,
): Command<[], T & AccountOptions> =>
  addSettingOptions(command, ({ heading }) => heading === 'Hotkey')

export const createAccountCommand = (name: string, examples: string) =>
  addAccountOptions(chainCommand(name, examples))

/**
 * Reads the account of the first of these: the file that "--key" names; "--wallet" and "--hotkey";
 * AFFINE_HOTKEY; the file that AFFINE_KEY names; BT_WALLET_COLD and BT_WALLET_HOT, or btcli's
 * BT_WALLET_NAME and BT_WALLET_HOTKEY. If only one of "--wallet" and "--hotkey" is given, a
 * variable may name the other. A missing wallet or hotkey is `default`, as in btcli. `warn` is
 * called with problems that the user should fix.
 * @throws RangeError if no account is named, or if `readWallet`, `readHotkey` or `accountFrom`
 *   rejects the named account. No message quotes a secret.
 */
export async function readAccount(
  options: AccountOptions,
  warn: Warn,
  env: typeof process.env = process.env,
): Promise<Account> {
  // The wallet's libraries take long to load.
  const { accountFrom, readHotkey, readWallet } = await import('@affine/chain/wallet')
  const isNamed = (options.key ?? options.wallet ?? options.hotkey) !== undefined
  if (env.AFFINE_HOTKEY && !isNamed) return accountFrom(env.AFFINE_HOTKEY, 'AFFINE_HOTKEY')
  const fileless = isNamed ? { ...env, AFFINE_KEY: undefined } : env
  const { key, walletPath, ...given } = pickGiven(findSettings(options, fileless))
  if ((key ?? given.wallet ?? given.hotkey) === undefined) throw new RangeError(NO_HOTKEY)
  const { wallet = 'default', hotkey = 'default' } = given
  const { account, warning } = await readNamed(
    key === undefined
      ? readWallet({ wallet, hotkey, root: resolveWalletFolder(walletPath) })
      : readHotkey(key),
  )
  if (warning !== undefined) warn(warning)
  return account
}

/**
 * Reads the account of a validator.
 * @throws RangeError as `readAccount` does, and for an Ed25519 key. Protocol §1.4.
 */
export async function readValidatorAccount(...named: Parameters<typeof readAccount>) {
  const account = await readAccount(...named)
  if (account.scheme === 'sr25519') return account
  throw new RangeError(`${describeWrongKey(account)}: ${KEY_ADVICE}`)
}

export const describeWrongKey = ({ hotkey }: Pick<Account, 'hotkey'>): string =>
  `${hotkey} is an Ed25519 key, but a validator must sign its evidence with sr25519 ` +
  '(protocol 1.4, 6.2)'

export const KEY_ADVICE = 'create and register a hotkey of type sr25519'

export const resolveWalletFolder = (path = join(homedir(), '.bittensor', 'wallets')): string => path

/**
 * Reads the account that the options name. Prints warnings about the account and about unknown
 * variables.
 */
export function readNamedAccount(
  options: AccountOptions & Pick<ChainOptions, 'json'>,
): Promise<Account> {
  const say: Warn = (text) => warn(output(options.json), text)
  for (const text of checkVariables()) say(text)
  return readNamed(readAccount(options, say))
}
