import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { WalletPath } from '@affine/chain/wallet'

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
export async function walletNamed({
  wallet,
  hotkey,
  root,
}: Named): Promise<WalletPath | undefined> {
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
