import { readFile } from 'node:fs/promises'
import { type Account, account } from '@affine/chain'

/** The account whose 32-byte secret a file holds, as 64 hex digits. Says what is wrong, never the secret. */
export async function readKey(path: string): Promise<Account> {
  const text = (await readFile(path, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new RangeError(`${path} expected to hold a key: 64 lower-case hex digits`)
  return account(Buffer.from(text, 'hex'))
}
