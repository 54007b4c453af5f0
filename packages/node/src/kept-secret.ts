import { randomBytes } from 'node:crypto'
import type { Hash } from '@affine/prng'
import { AlteredFile } from './altered-file.ts'

/** Reads and writes files by their paths in a folder; a write that resolves is on disk. */
interface Store {
  read(path: string, limit: number): Promise<Uint8Array | null>
  write(path: string, bytes: Uint8Array): Promise<void>
}

/**
 * Returns the secret at a path of a folder, 64 hex digits. If there is none, draws one. It is on
 * disk when the promise resolves. `folder` is the name of the folder in errors.
 * @throws AlteredFile if the file holds something else.
 */
export async function keptSecret(
  { read, write }: Store,
  path: string,
  { folder, random = randomBytes }: SecretPlace,
): Promise<Hash> {
  const kept = await read(path, 64)
  const secret = Buffer.from(kept ?? Buffer.from(random(32)).toString('hex')).toString()
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new AlteredFile(`${folder}/${path}`, 'NOT_A_SECRET', 'it does not hold a secret')
  // An existing secret is written too: a crash may have come before its sync.
  await write(path, Buffer.from(secret))
  return secret
}

interface SecretPlace {
  readonly folder: string
  readonly random?: (size: number) => Uint8Array
}
