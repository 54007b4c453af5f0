import { ristretto255 } from '@noble/curves/ed25519.js'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { keyExtractSuri } from '@polkadot/util-crypto/key'
import { mnemonicToMiniSecret } from '@polkadot/util-crypto/mnemonic'
import { HDKD, secretFromSeed } from '@scure/sr25519'
import { type Account, account } from '../account.ts'

const DEV_PHRASE = 'bottom drive obey lake curtain smoke basket hold race lonely fit walk'

/**
 * The account of a secret: a mnemonic of 12 to 24 words, a seed of 64 hex digits with or without
 * `0x`, or a private key of 128 as btwallet writes it. After each may come `//hard` and `/soft`
 * derivations and `///password`, as in Substrate's secret URIs. A text that starts with `//`, such
 * as `//Alice`, is derived from the development phrase.
 *
 * @param name What the error calls the secret.
 * @throws RangeError for anything else, and for derivations that polkadot.js and Substrate read
 *   differently: hexadecimal ones, and numbers of 20 digits.
 */
export function accountFrom(secret: string, name = '"secret"'): Account {
  try {
    const { phrase, derivePath, path, password } = keyExtractSuri(uriOf(secret))
    if (/\/(0x|\+|\d{20})/.test(derivePath)) throw new RangeError()
    return account(path.reduce(derive, expand(phrase, password)))
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

/** The secret key in the form `account` takes. */
function expand(phrase: string, password: string | undefined): Uint8Array {
  if (!/^(0x)?([0-9a-f]{64}){1,2}$/i.test(phrase))
    return secretFromSeed(mnemonicToMiniSecret(phrase, password, undefined, true))
  const bytes = hexToBytes(phrase.replace(/^0x/i, ''))
  if (bytes.length === 32) return secretFromSeed(bytes)
  const scalar = ristretto255.Point.Fn.fromBytes(bytes.subarray(0, 32))
  return concatBytes(numberToBytesLE(scalar << 3n, 32), bytes.subarray(32))
}
