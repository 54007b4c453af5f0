import type { Hash } from '@affine/prng'
import type { Setup } from './setup.ts'

/** Where an epoch's secret is in the validator's folder. */
export const secretPath = (epoch: number): string => `secrets/${epoch}`

/**
 * The secret of `epoch`, 64 hex digits: made, and synced to disk, before its digest can go on
 * chain. Protocol §4.
 * @throws Error when its file was altered.
 */
export async function secretOf(
  { store, folder, random }: Pick<Setup, 'store' | 'folder' | 'random'>,
  epoch: number,
): Promise<Hash> {
  const path = secretPath(epoch)
  const kept = await store.read(path, 64)
  const secret =
    kept === null ? Buffer.from(random(32)).toString('hex') : new TextDecoder().decode(kept)
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new Error(`${folder}/${path} does not hold a secret: put it back, or move it away`)
  // An existing secret is written too: a crash may have come before its sync.
  await store.write(path, new TextEncoder().encode(secret))
  return secret
}
