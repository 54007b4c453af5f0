import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ristretto255 } from '@noble/curves/ed25519.js'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { keyExtractSuri } from '@polkadot/util-crypto/key'
import { mnemonicToMiniSecret } from '@polkadot/util-crypto/mnemonic'
import { HDKD, secretFromSeed } from '@scure/sr25519'
import { z } from 'zod'
import { type Account, account, decodeAddress } from './account.ts'

const MAX_BYTES = 16_384
const DEV_PHRASE = 'bottom drive obey lake curtain smoke basket hold race lonely fit walk'
const INSTEAD =
  'name a hotkey that is not encrypted, or put its secret in AFFINE_HOTKEY; never the coldkey'

const KeyFile = z.object({
  cryptoType: z.literal(1).nullish(),
  secretPhrase: z.string().nullish(),
  secretSeed: z.string().nullish(),
  privateKey: z.string().nullish(),
  ss58Address: z.string().nullish(),
})

/** A hotkey from disk. */
export interface Key {
  readonly account: Account
  /**
   * SS58, from the `coldkeypub.txt` of the hotkey's wallet; without one that can be read,
   * undefined.
   */
  readonly coldkey?: string | undefined
  /** Sentences for the operator. */
  readonly warnings: readonly string[]
}

/**
 * Where a hotkey is among Bittensor's wallets. `root` is the folder of all of them,
 * `~/.bittensor/wallets` without.
 */
export type WalletPath = Readonly<{ wallet: string; hotkey: string; root?: string | undefined }>

/**
 * Reads a hotkey by names: `<root>/<wallet>/hotkeys/<hotkey>`. The coldkey is never opened.
 * @throws RangeError unless both names are plain; and as `readHotkey` does.
 */
export async function readWallet({ wallet, hotkey, root }: WalletPath): Promise<Key> {
  for (const [name, value] of Object.entries({ wallet, hotkey })) {
    if (!/^(?!\.\.?$)[^/\\]+$/.test(value))
      throw new RangeError(`"${name}" expected a name, not a path`)
  }
  return readHotkey(
    join(root ?? join(homedir(), '.bittensor', 'wallets'), wallet, 'hotkeys', hotkey),
  )
}

/**
 * Reads a hotkey file: btwallet's JSON, or nothing but a seed of 64 hex digits. Errors name the
 * path, never what is in it.
 *
 * As in btwallet the phrase counts before the seed, and the seed before the private key.
 * @throws RangeError for a coldkey, and for a file that is encrypted, over 16 KiB, in neither form,
 *   without a secret, or with one that does not give the address beside it. Rejects when the file
 *   cannot be read.
 */
export async function readHotkey(path: string): Promise<Key> {
  const target = await realpath(path).catch(() => path) // a pipe has none
  if ([path, target].some((name) => basename(name).toLowerCase() === 'coldkey'))
    throw new RangeError(`${path} is a coldkey, which this program has no use for: ${INSTEAD}`)
  const { text, mode } = await readText(path)
  if (/^(\$NACL|\$ANSIBLE_VAULT|gAAAAA)/.test(text))
    throw new RangeError(
      `${path} is encrypted, and this program runs with nobody to ask for a password: ${INSTEAD}`,
    )
  const account = accountIn(text, path)
  const coldkey = await coldkeyOf(path)
  const warnings: string[] = []
  if ((mode & 0o044) !== 0)
    warnings.push(`${path} can be read by others on this machine: chmod 600 ${path}`)
  if (coldkey === account.hotkey)
    warnings.push(`${path} is its wallet's coldkey too: keep the coldkey elsewhere`)
  return { account, coldkey, warnings }
}

/**
 * The account of a secret: a mnemonic of 12 to 24 words, a seed of 64 hex digits with or without
 * `0x`, or a private key of 128 as btwallet writes it; after each, as in Substrate's secret URIs,
 * may come `//hard` and `/soft` derivations and `///password`. What starts with `//`, as in
 * `//Alice`, is derived from the development phrase.
 *
 * @param name What the error calls the secret.
 * @throws RangeError for anything else, and for derivations that polkadot.js and Substrate read
 *   differently: hexadecimal ones, and numbers of 20 digits.
 */
export function accountFrom(secret: string, name = '"secret"'): Account {
  try {
    const uri = secret.replace(/[\r\n]+$/, '') // of a secret kept in a file; blanks may be a password's
    const { phrase, derivePath, path, password } = keyExtractSuri(
      uri.startsWith('//') ? DEV_PHRASE + uri : uri,
    )
    if (/\/(0x|\+|\d{20})/.test(derivePath)) throw new RangeError()
    let key = expand(phrase, password)
    for (const { isHard, chainCode } of path)
      key = isHard
        ? HDKD.secretHard(key, chainCode)
        : HDKD.secretSoft(key, chainCode, new Uint8Array(32))
    return account(key)
  } catch {
    // Nothing of the error is passed on: it may quote the secret.
    throw new RangeError(
      `${name} expected a mnemonic, a seed of 64 hex digits, or either with a //path`,
    )
  }
}

/** The secret key in the form `account` takes. */
function expand(phrase: string, password: string | undefined): Uint8Array {
  if (!/^(0x)?([0-9a-f]{64}){1,2}$/i.test(phrase))
    return secretFromSeed(mnemonicToMiniSecret(phrase, password, undefined, true))
  const bytes = hexToBytes(phrase.replace(/^0x/i, ''))
  if (bytes.length === 32) return secretFromSeed(bytes)
  const scalar = ristretto255.Point.Fn.fromBytes(bytes.subarray(0, 32))
  return concatBytes(numberToBytesLE(scalar << 3n, 32), bytes.subarray(32))
}

function accountIn(text: string, path: string): Account {
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return accountFrom(text)
  const file = parse(text)
  if (file === null)
    throw new RangeError(
      `${path} expected to hold a hotkey: Bittensor's JSON of an sr25519 key, or 64 hex digits`,
    )
  const secret = file.secretPhrase ?? file.secretSeed ?? file.privateKey
  if (!secret)
    throw new RangeError(`${path} has no secret in it: no secretPhrase, secretSeed or privateKey`)
  const account = accountFrom(secret, `the secret in ${path}`)
  if (file.ss58Address && file.ss58Address !== account.hotkey)
    throw new RangeError(
      `${path} has a secret of ${account.hotkey}, which is not the ss58Address beside it`,
    )
  return account
}

function parse(text: string): z.infer<typeof KeyFile> | null {
  try {
    return KeyFile.parse(JSON.parse(text))
  } catch {
    return null // both errors quote the text
  }
}

async function coldkeyOf(path: string): Promise<string | undefined> {
  const file = await readText(join(dirname(path), '..', 'coldkeypub.txt')).catch(() => null)
  const address = (file && parse(file.text)?.ss58Address) ?? ''
  return decodeAddress(address) ? address : undefined
}

async function readText(path: string): Promise<{ text: string; mode: number }> {
  const file = await stat(path)
  if (file.isDirectory()) throw new RangeError(`${path} expected to be a file, got a folder`)
  const bytes = Buffer.concat(await createReadStream(path, { end: MAX_BYTES }).toArray())
  if (bytes.length > MAX_BYTES)
    throw new RangeError(`${path} expected to hold at most ${MAX_BYTES} bytes, got more`)
  return { text: bytes.toString().trim(), mode: file.mode }
}
