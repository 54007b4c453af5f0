import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account } from '@affine/chain'

/** Only the owner may read the files. */
const MODE = 0o600

/** Where the keys of a local chain are, each in a file of its name. */
export const keysIn = (folder: string): string => join(folder, 'keys')

/**
 * The key of this name: the one in the folder, or else a new one, which is synced to disk for its
 * owner alone.
 * @throws Error, as a rejection, if the file does not hold a key.
 */
export async function keyNamed(folder: string, name: string): Promise<Account> {
  const place = keysIn(folder)
  const keys = directoryBucket(place, MODE)
  const kept = await keys.read(name, 64)
  const secret = kept === null ? randomBytes(32).toString('hex') : new TextDecoder().decode(kept)
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new Error(`${join(place, name)} expected to hold 64 hex digits: move it away`)
  await keys.write(name, new TextEncoder().encode(secret))
  return account(Buffer.from(secret, 'hex'))
}
