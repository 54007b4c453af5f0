import { randomBytes } from 'node:crypto'
import type { Hash } from '@affine/prng'
import { AlteredFile } from './altered-file.ts'

/** Files by path in a folder. A resolved write is on disk. */
interface Store {
  read(path: string, limit: number): Promise<Uint8Array | null>
  write(path: string, bytes: Uint8Array): Promise<void>
}

/**
 * Resolves with the secret in the file at `path`, 64 hex digits, when it is on disk. Draws a secret
 * if the file is missing. `folder` names the folder in errors.
 * @throws AlteredFile, as a rejection, if the file has other content.
 */
export async function openSecret(
  { read, write }: Store,
  path: string,
  { folder, random = randomBytes }: { folder: string; random?: (size: number) => Uint8Array },
): Promise<Hash> {
  const stored = await read(path, 64)
  const secret = Buffer.from(stored ?? Buffer.from(random(32)).toString('hex')).toString()
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new AlteredFile(`${folder}/${path}`, 'NOT_A_SECRET', 'expected 64 hex digits')
  // An existing secret is written too: a crash may have prevented its sync.
  await write(path, Buffer.from(secret))
  return secret
}
