import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Account, type Chain, ChainError, type Neuron } from '@affine/chain'
import type { Key, WalletPath } from '@affine/chain/wallet'
import { type ChainOptions, chainCommand, output, printable, readNamed } from '@affine/terminal'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { withSettings } from '../settings/options.ts'
import { findSettings, givenIn } from '../settings/sources.ts'
import { variableWarnings } from '../settings/unknown-variables.ts'

/** Which account a command acts for. */
export type AccountOptions = {
  [name in 'key' | 'wallet' | 'hotkey' | 'walletPath']?: string | undefined
}

type Warn = (text: string) => void
type AccountVariables = typeof process.env

const WAYS =
  'no hotkey named: give --key <file>, or --wallet <name> --hotkey <name>; ' +
  'or set AFFINE_HOTKEY, or BT_WALLET_COLD and BT_WALLET_HOT'

/** Adds the options that name an account. `readAccount` takes them. */
export function withAccount<T extends OptionValues>(
  command: Command<[], T>,
): Command<[], T & AccountOptions> {
  const whole = withSettings(command, ['key', 'wallet', 'hotkey', 'walletPath'])
  whole.options.find(({ long }) => long === '--wallet-path')?.hideHelp() // `af validate` shows it
  return whole
}

/** A command for an account on a chain, with "--json". */
export const accountOnChain = (name: string): Command<[], ChainOptions & AccountOptions> =>
  withAccount(chainCommand(name))

/**
 * The account that "--key" names; else "--wallet" and "--hotkey"; else AFFINE_HOTKEY; else
 * BT_WALLET_COLD and BT_WALLET_HOT, or btcli's BT_WALLET_NAME and BT_WALLET_HOTKEY, which also
 * stand in for one of the two options. `warn` gets what should be fixed. `env` replaces the
 * environment.
 * @throws RangeError when no account is named, or when `readWallet`, `readHotkey` or `accountFrom`
 *   refuses it. No message quotes a secret.
 */
export async function readAccount(
  options: AccountOptions,
  warn: Warn,
  env: AccountVariables = process.env,
): Promise<Account> {
  const { key, wallet, hotkey } = options
  const isNamed = (key ?? wallet ?? hotkey) !== undefined
  if (env.AFFINE_HOTKEY && !isNamed) {
    const { accountFrom } = await import('@affine/chain/wallet')
    return accountFrom(env.AFFINE_HOTKEY, 'AFFINE_HOTKEY')
  }
  const { account, warnings } = await readKey(options, env)
  for (const warning of warnings) warn(warning)
  return account
}

async function readKey(options: AccountOptions, env: AccountVariables): Promise<Key> {
  const { readHotkey, readWallet } = await import('@affine/chain/wallet') // slow to load
  const { key, wallet, hotkey, walletPath } = givenIn(findSettings(options, env, {}))
  if (key !== undefined) return readHotkey(key)
  const named = await walletNamed({ wallet, hotkey, root: walletsAt(walletPath) })
  if (named === undefined) throw new RangeError(WAYS)
  return readWallet(named)
}

/** The account that the options name. Prints warnings about it, and of variables not known. */
export function accountOf(options: AccountOptions & Pick<ChainOptions, 'json'>): Promise<Account> {
  const warn: Warn = (text) =>
    output(options.json).line(`! ${printable(text)}`, { type: 'warning', text })
  for (const text of variableWarnings()) warn(text)
  return readNamed(readAccount(options, warn))
}

/** A hotkey's neuron at the chain's head, and all of them. */
export interface Registered {
  readonly own: Neuron
  readonly all: readonly Neuron[]
}

/** @throws ChainError when the hotkey is not registered. */
export async function neuronOf(chain: Chain, hotkey: string): Promise<Registered> {
  const { neurons } = await chain.snapshot((await chain.head()).number)
  const own = neurons.find((neuron) => neuron.hotkey === hotkey)
  if (own) return { own, all: neurons }
  const advice = `register ${hotkey} on subnet ${chain.netuid} first`
  throw new ChainError('HotKeyNotRegisteredInSubNet', advice)
}

/** The folder of wallets: `path`, or Bittensor's own. */
export const walletsAt = (path = join(homedir(), '.bittensor', 'wallets')): string => path

type Named = { readonly [name in 'wallet' | 'hotkey']: string | undefined } & {
  readonly root: string
}

/**
 * The wallet and the hotkey. If only one of them is named, the other is `default`, or the only
 * one in the folder. Undefined when neither is named.
 * @throws RangeError when there are several.
 */
async function walletNamed({ wallet, hotkey, root }: Named): Promise<WalletPath | undefined> {
  if (wallet && hotkey) return { wallet, hotkey, root }
  if (wallet) return { wallet, hotkey: await onlyIn('hotkey', join(root, wallet, 'hotkeys')), root }
  if (hotkey) return { wallet: await onlyIn('wallet', root), hotkey, root }
  return undefined
}

async function onlyIn(what: string, folder: string): Promise<string> {
  const found = await readdir(folder)
  // btcli writes a public key beside each hotkey.
  const names = found.filter((name) => !/^\.|pub\.txt$/.test(name)).sort()
  const [first] = names
  if (names.includes('default')) return 'default'
  if (first === undefined)
    throw new RangeError(`"${what}" was not given, and the folder ${folder} has no ${what}`)
  if (names.length === 1) return first
  throw new RangeError(`"${what}" expected one of ${names.join(', ')}: ${folder} has several`)
}
