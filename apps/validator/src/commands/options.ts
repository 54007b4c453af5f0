import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Account } from '@affine/chain'
import { accountFrom, readHotkey, readWallet } from '@affine/chain/wallet'
import { type ChainOptions, chainCommand, whole } from '@affine/verifier'
import type { Command, OptionValues } from '@commander-js/extra-typings'

export { shareOption, whole } from '@affine/verifier'

/**
 * The folder that "--out" names, made if it is not there. @throws RangeError when there is
 * something in it.
 */
export async function emptyFolder(path: string): Promise<string> {
  const folder = resolve(path)
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0)
    throw new RangeError(`"--out" expected an empty folder, got ${folder}`)
  return folder
}

/** Which account a command acts for. */
export type AccountOptions = {
  [name in 'key' | 'wallet' | 'hotkey' | 'walletPath']?: string | undefined
}

type Warn = (text: string) => void
type Variables = typeof process.env
const WAYS =
  'no hotkey named: give --key <file>, or --wallet <name> --hotkey <name>; or set AFFINE_HOTKEY, or BT_WALLET_COLD and BT_WALLET_HOT'

/** Adds the options that name an account. `readAccount` takes them. */
export function withAccount<T extends OptionValues>(
  command: Command<[], T>,
): Command<[], T & AccountOptions> {
  command
    .option('--key <file>', 'a hotkey file; or put its secret in AFFINE_HOTKEY')
    .option('--wallet <name>', 'a Bittensor wallet; BT_WALLET_COLD without')
    .option('--hotkey <name>', "the wallet's hotkey; BT_WALLET_HOT without")
    .option('--wallet-path <folder>', 'where the wallets are; ~/.bittensor/wallets without')
  return command as Command<[], T & AccountOptions>
}

/**
 * The account that "--key" names; else "--wallet" and "--hotkey"; else AFFINE_HOTKEY, which
 * `accountFrom` reads; else BT_WALLET_COLD and BT_WALLET_HOT, which also stand in for one of the
 * two options. `warn` hears what should be mended. The variables are the environment's, or those
 * that are given.
 * @throws RangeError when none is named, and for what `readWallet`, `readHotkey` and `accountFrom`
 *   refuse: no secret is quoted.
 */
export async function readAccount(
  how: AccountOptions,
  warn: Warn,
  env: Variables = process.env,
): Promise<Account> {
  const { key, wallet, hotkey, walletPath: root } = how
  const { AFFINE_HOTKEY: secret, BT_WALLET_COLD, BT_WALLET_HOT } = env
  if (secret && (key ?? wallet ?? hotkey) === undefined) return accountFrom(secret, 'AFFINE_HOTKEY')
  const [cold, hot] = [wallet ?? BT_WALLET_COLD, hotkey ?? BT_WALLET_HOT]
  const read =
    key !== undefined
      ? readHotkey(key)
      : cold && hot
        ? readWallet({ wallet: cold, hotkey: hot, root })
        : null
  if (read === null) throw new RangeError(WAYS)
  const { account, warnings } = await read
  for (const warning of warnings) warn(warning)
  return account
}

/** A command that replays a subnet from its public data. */
export const replayCommand = (
  name: string,
): Command<[], ChainOptions & { buckets?: string; last?: number }> =>
  chainCommand(name)
    .option(
      '--buckets <folder|url>',
      'where the buckets announced by name are; not needed for https buckets',
    )
    .option(
      '--last <epochs>',
      'only these, from the state that more than half the stake attested',
      whole(1, 1e6),
    )
