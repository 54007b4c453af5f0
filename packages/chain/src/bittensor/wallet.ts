import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { type Account, decodeAddress } from '../account.ts'
import { readRegularFile } from '../regular-file.ts'
import { accountFrom } from './secret.ts'

export { accountFrom } from './secret.ts'

const MAX_BYTES = 16_384
const INSTEAD =
  "name an unencrypted hotkey, or put a hotkey's secret in AFFINE_HOTKEY, but never the coldkey's"
const NO_PASSWORD = `and this program cannot ask for a password: ${INSTEAD}`

const keyFileShape = z.object({
  cryptoType: z.nullish(z.literal(1)),
  secretPhrase: z.nullish(z.string()),
  secretSeed: z.nullish(z.string()),
  privateKey: z.nullish(z.string()),
  ss58Address: z.nullish(z.string()),
  /** In what polkadot.js exports, instead of a secret. */
  encoded: z.nullish(z.string()),
})

/** A hotkey from disk. */
export interface Key {
  readonly account: Account
  /**
   * The SS58 address in the `coldkeypub.txt` of the hotkey's wallet; undefined if that cannot be
   * read.
   */
  readonly coldkey?: string | undefined
  /** Warnings for the operator, a sentence each. */
  readonly warnings: readonly string[]
}

/**
 * Where a hotkey is among Bittensor's wallets. `root` is the folder of all wallets (default
 * `~/.bittensor/wallets`).
 */
export type WalletPath = Readonly<{ wallet: string; hotkey: string; root?: string | undefined }>

/**
 * Reads a hotkey by its wallet's name and its own: `<root>/<wallet>/hotkeys/<hotkey>`. The coldkey
 * is never opened.
 * @throws RangeError, as a rejection, if a name is a path; and as `readHotkey` does.
 */
export async function readWallet({
  wallet,
  hotkey,
  root = join(homedir(), '.bittensor', 'wallets'),
}: WalletPath): Promise<Key> {
  checkName('wallet', wallet)
  checkName('hotkey', hotkey)
  return readHotkey(join(root, wallet, 'hotkeys', hotkey))
}

function checkName(what: string, name: string): void {
  if (!/^(?!\.\.?$)[^/\\]+$/.test(name))
    throw new RangeError(`"${what}" expected a name, not a path`)
}

/**
 * Reads a hotkey file: btwallet's JSON, or nothing but a seed of 64 hex digits. Errors name the
 * file, and never quote it.
 *
 * If there are several secrets, the phrase is used before the seed, and the seed before the private
 * key, as in btwallet.
 * @throws RangeError, as a rejection, for a coldkey, and for a file that is not regular, is
 *   encrypted, has more than 16 KiB, has neither form, has no secret, or has a secret of another
 *   address than its own. Rejects if the file cannot be read.
 */
export async function readHotkey(path: string): Promise<Key> {
  await checkNoColdkey(path)
  const { text, mode } = await readText(path)
  if (/^(\$NACL|\$ANSIBLE_VAULT|gAAAAA)/.test(text))
    throw new RangeError(`${path} is encrypted, ${NO_PASSWORD}`)
  const account = accountIn(text, path)
  const coldkey = await coldkeyOf(path)
  const warnings: string[] = []
  if ((mode & 0o044) !== 0)
    warnings.push(`${path} can be read by others on this machine: chmod 600 ${path}`)
  if (coldkey === account.hotkey)
    warnings.push(`${path} is its wallet's coldkey too: keep the coldkey elsewhere`)
  return { account, coldkey, warnings }
}

async function checkNoColdkey(path: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  if (isColdkey(path) || isColdkey(target))
    throw new RangeError(`${path} is a coldkey, which this program never uses: ${INSTEAD}`)
}

const isColdkey = (path: string): boolean => basename(path).toLowerCase() === 'coldkey'

function accountIn(text: string, path: string): Account {
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return accountFrom(text)
  const file = parse(text)
  if (file === null)
    throw new RangeError(
      `${path} expected to hold a hotkey: Bittensor's JSON of an sr25519 key, or 64 hex digits`,
    )
  const secret = file.secretPhrase ?? file.secretSeed ?? file.privateKey
  if (!secret && file.encoded)
    throw new RangeError(`${path} is polkadot.js's encrypted export, ${NO_PASSWORD}`)
  if (!secret)
    throw new RangeError(`${path} holds no secret: no secretPhrase, secretSeed or privateKey`)
  const account = accountFrom(secret, `the secret in ${path}`)
  if (file.ss58Address && file.ss58Address !== account.hotkey)
    throw new RangeError(
      `${path} holds a secret of ${account.hotkey}, which is not the ss58Address in it`,
    )
  return account
}

function parse(text: string): z.infer<typeof keyFileShape> | null {
  try {
    return keyFileShape.parse(JSON.parse(text))
  } catch {
    return null // both errors quote the text
  }
}

async function coldkeyOf(path: string): Promise<string | undefined> {
  const file = await readText(join(dirname(path), '..', 'coldkeypub.txt')).catch(() => null)
  if (file === null) return undefined
  const address = parse(file.text)?.ss58Address ?? ''
  return decodeAddress(address) ? address : undefined
}

async function readText(path: string): Promise<{ text: string; mode: number }> {
  const { bytes, stats } = await readRegularFile(path, MAX_BYTES)
  return { text: bytes.toString().trim(), mode: stats.mode }
}
