import { realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readRegularFile } from '@affine/node/disk'
import { ristretto255 } from '@noble/curves/ed25519.js'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { mnemonicToMiniSecret } from '@polkadot/util-crypto/mnemonic'
import * as z from 'zod/mini'
import { type Account, account, ed25519Account, type Scheme } from '../account.ts'

const MAX_BYTES = 16_384
const INSTEAD =
  "name an unencrypted hotkey, or set AFFINE_HOTKEY to a hotkey's secret, never the coldkey's"
/** Signature schemes by btwallet's `cryptoType`. */
const SCHEMES = ['ed25519', 'sr25519'] as const

const keyFileShape = z.object({
  cryptoType: z.nullish(z.literal([0, 1])),
  secretPhrase: z.nullish(z.string()),
  secretSeed: z.nullish(z.string()),
  privateKey: z.nullish(z.string()),
  ss58Address: z.nullish(z.string()),
})

/** A hotkey from disk. */
export interface Key {
  readonly account: Account
  /** A warning for the operator, as a sentence. */
  readonly warning?: string
}

/** The place of a hotkey in Bittensor's wallets. `root` is the folder of all wallets. */
export type WalletPath = Readonly<Record<'wallet' | 'hotkey' | 'root', string>>

/**
 * Reads the hotkey `<root>/<wallet>/hotkeys/<hotkey>`. Never opens the coldkey.
 * @throws RangeError, as a rejection, in the cases of `readHotkey`.
 */
export const readWallet = ({ wallet, hotkey, root }: WalletPath): Promise<Key> =>
  readHotkey(join(root, wallet, 'hotkeys', hotkey))

/**
 * Reads a hotkey file: btwallet's JSON, or only a seed of 64 hex digits. Errors name the file, and
 * never quote it. As in btwallet, the phrase is used before the seed, and the seed before the
 * private key.
 * @throws RangeError, as a rejection, for a coldkey, and for a file that is not regular, is
 *   encrypted, has more than 16 KiB, has neither format, or has no secret, an invalid secret, a
 *   type of key other than sr25519 and Ed25519, or a secret of another address than `ss58Address`.
 *   Rejects if the file cannot be read.
 */
export async function readHotkey(path: string): Promise<Key> {
  await rejectColdkey(path)
  const { bytes, stats } = await readRegularFile(path, MAX_BYTES)
  const content = bytes.toString().trim()
  if (/^(\$NACL|\$ANSIBLE_VAULT|gAAAAA)/.test(content))
    throw new RangeError(`${path} is encrypted, and this program asks for no password: ${INSTEAD}`)
  const account = parseHotkeyFile(content, path)
  if ((stats.mode & 0o044) === 0) return { account }
  return { account, warning: `${path} can be read by others on this machine: chmod 600 ${path}` }
}

async function rejectColdkey(path: string): Promise<void> {
  const paths = [path, await realpath(path).catch(() => path)]
  if (paths.some((each) => basename(each).toLowerCase() === 'coldkey'))
    throw new RangeError(`${path} is a coldkey, which this program never uses: ${INSTEAD}`)
}

function parseHotkeyFile(text: string, path: string): Account {
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return accountFrom(text)
  const file = parseKeyFile(text)
  const secret = file?.secretPhrase ?? file?.secretSeed ?? file?.privateKey
  if (!file || !secret)
    throw new RangeError(
      `${path} expected to contain a hotkey's secret: 64 hex digits, or Bittensor's JSON of an ` +
        'sr25519 or Ed25519 key with a secretPhrase, secretSeed or privateKey',
    )
  const account = accountFrom(secret, `the secret in ${path}`, SCHEMES[file.cryptoType ?? 1])
  if (file.ss58Address && file.ss58Address !== account.hotkey)
    throw new RangeError(`${path} has a secret of ${account.hotkey}, which is not its ss58Address`)
  return account
}

function parseKeyFile(text: string): z.infer<typeof keyFileShape> | null {
  try {
    return keyFileShape.parse(JSON.parse(text))
  } catch {
    return null // The errors of both parsers quote the text.
  }
}

/**
 * Returns the account of a secret: a mnemonic of 12 to 24 words, a seed of 64 hex digits, or, only
 * for sr25519, a private key of 128 digits as btwallet writes it. `0x` may precede digits.
 *
 * @param name The name of the secret in the error.
 * @throws RangeError for anything else.
 */
export function accountFrom(
  secret: string,
  name = '"secret"',
  scheme: Scheme = 'sr25519',
): Account {
  try {
    const bytes = parseSecret(secret.trim())
    if (scheme === 'ed25519') return ed25519Account(bytes)
    return account(bytes.length === 64 ? toSecretKey(bytes) : bytes)
  } catch {
    // The caught error is not the cause of the new error, since it may quote the secret.
    throw new RangeError(
      `${name} expected a mnemonic, a seed of 64 hex digits, or a private key of 128`,
    )
  }
}

function parseSecret(text: string): Uint8Array {
  const [, digits] = /^(?:0x)?([0-9a-f]+)$/i.exec(text) ?? []
  return digits ? hexToBytes(digits) : mnemonicToMiniSecret(text, undefined, undefined, true)
}

/** Returns a secret key for `account`: the scalar of the private key times 8, then the nonce. */
function toSecretKey(privateKey: Uint8Array): Uint8Array {
  const scalar = ristretto255.Point.Fn.fromBytes(privateKey.subarray(0, 32))
  return concatBytes(numberToBytesLE(scalar << 3n, 32), privateKey.subarray(32))
}
