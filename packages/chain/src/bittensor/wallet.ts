import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { readRegularFile } from '@affine/node/disk'
import { ristretto255 } from '@noble/curves/ed25519.js'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { ed25519DeriveHard } from '@polkadot/util-crypto/ed25519'
import { keyExtractSuri } from '@polkadot/util-crypto/key'
import { mnemonicToMiniSecret } from '@polkadot/util-crypto/mnemonic'
import { HDKD, secretFromSeed } from '@scure/sr25519'
import * as z from 'zod/mini'
import { type Account, account, ed25519Account, type Scheme } from '../account.ts'

const MAX_BYTES = 16_384
const INSTEAD =
  "name an unencrypted hotkey, or put a hotkey's secret in AFFINE_HOTKEY, but never the coldkey's"
/** Signature schemes by btwallet's `cryptoType`. */
const SCHEMES = ['ed25519', 'sr25519'] as const
const SR25519 = 1
const NO_PASSWORD = `and this program cannot ask for a password: ${INSTEAD}`

const keyFileShape = z.object({
  cryptoType: z.nullish(z.number()),
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
  const { content, mode } = await readText(path)
  if (/^(\$NACL|\$ANSIBLE_VAULT|gAAAAA)/.test(content))
    throw new RangeError(`${path} is encrypted, ${NO_PASSWORD}`)
  const account = accountIn(content, path)
  const warnings: string[] = []
  if ((mode & 0o044) !== 0)
    warnings.push(`${path} can be read by others on this machine: chmod 600 ${path}`)
  if ((await coldkeyOf(path)) === account.hotkey)
    warnings.push(`${path} is its wallet's coldkey too: keep the coldkey elsewhere`)
  return { account, warnings }
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
      `${path} expected to hold a hotkey: Bittensor's JSON of a key, or 64 hex digits`,
    )
  const scheme = SCHEMES[file.cryptoType ?? SR25519]
  if (scheme === undefined)
    throw new RangeError(
      `${path} holds a key of type ${file.cryptoType}, and this program signs with sr25519 and ` +
        'Ed25519 keys only: make a hotkey of type sr25519, register it, and name it instead',
    )
  const secret = file.secretPhrase ?? file.secretSeed ?? file.privateKey
  if (!secret && file.encoded)
    throw new RangeError(`${path} is polkadot.js's encrypted export, ${NO_PASSWORD}`)
  if (!secret)
    throw new RangeError(`${path} holds no secret: no secretPhrase, secretSeed or privateKey`)
  const account = accountFrom(secret, `the secret in ${path}`, scheme)
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

/** What the `coldkeypub.txt` of the hotkey's wallet says, if it can be read. */
async function coldkeyOf(path: string): Promise<string | null | undefined> {
  const file = await readText(join(dirname(path), '..', 'coldkeypub.txt')).catch(() => null)
  return file && parse(file.content)?.ss58Address
}

async function readText(path: string): Promise<{ content: string; mode: number }> {
  const { bytes, stats } = await readRegularFile(path, MAX_BYTES)
  return { content: bytes.toString().trim(), mode: stats.mode }
}

const DEV_PHRASE = 'bottom drive obey lake curtain smoke basket hold race lonely fit walk'

/**
 * The account of a secret: a mnemonic of 12 to 24 words, a seed of 64 hex digits with or without
 * `0x`, or a private key of 128 as btwallet writes it. After each may come `//hard` and `/soft`
 * derivations and `///password`, as in Substrate's secret URIs. A text that starts with `//`, such
 * as `//Alice`, is derived from the development phrase.
 *
 * Of an Ed25519 key there are no private keys of 128 digits, and only `//hard` derivations.
 *
 * @param name What the error calls the secret.
 * @throws RangeError for anything else, and for derivations that polkadot.js and Substrate read
 *   differently: hexadecimal ones, and numbers of 20 digits.
 */
export function accountFrom(
  secret: string,
  name = '"secret"',
  scheme: Scheme = 'sr25519',
): Account {
  try {
    const { phrase, derivePath, path, password } = keyExtractSuri(uriOf(secret))
    if (/\/(0x|\+|\d{20})/.test(derivePath)) throw new RangeError()
    if (scheme === 'sr25519') return account(path.reduce(derive, expand(phrase, password)))
    return ed25519Account(path.reduce(deriveEd25519, seedOf(phrase, password)))
  } catch {
    // The error is not passed on: it may quote the secret.
    throw new RangeError(
      `${name} expected a mnemonic, a seed of 64 hex digits, or either with a //path`,
    )
  }
}

/** The line end after a secret in a file is not part of it; blanks may be part of a password. */
function uriOf(secret: string): string {
  const uri = secret.replace(/(?<![\r\n])[\r\n]+$/, '')
  return uri.startsWith('//') ? DEV_PHRASE + uri : uri
}

type Junction = ReturnType<typeof keyExtractSuri>['path'][number]

function derive(key: Uint8Array, { isHard, chainCode }: Junction): Uint8Array {
  if (isHard) return HDKD.secretHard(key, chainCode)
  return HDKD.secretSoft(key, chainCode, new Uint8Array(32))
}

function deriveEd25519(seed: Uint8Array, { isHard, chainCode }: Junction): Uint8Array {
  if (isHard) return ed25519DeriveHard(seed, chainCode)
  throw new RangeError()
}

/** The secret key in the form `account` takes. */
function expand(phrase: string, password: string | undefined): Uint8Array {
  if (!/^(0x)?[0-9a-f]{128}$/i.test(phrase)) return secretFromSeed(seedOf(phrase, password))
  const bytes = hexToBytes(phrase.replace(/^0x/i, ''))
  const scalar = ristretto255.Point.Fn.fromBytes(bytes.subarray(0, 32))
  return concatBytes(numberToBytesLE(scalar << 3n, 32), bytes.subarray(32))
}

/** The seed of 32 bytes that a mnemonic or 64 hex digits stand for. */
function seedOf(phrase: string, password: string | undefined): Uint8Array {
  if (/^(0x)?[0-9a-f]{64}$/i.test(phrase)) return hexToBytes(phrase.replace(/^0x/i, ''))
  return mnemonicToMiniSecret(phrase, password, undefined, true)
}
