import { resolve } from 'node:path'
import { LIMITS } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import type { Chain } from '@affine/chain'
import { OWNERS } from '@affine/node/disk'
import { canonicalize } from '@affine/prng'

const OWNER_FILE = 'owner.json'

/**
 * Records durably that a hotkey on one subnet of one chain owns `folder`, before a validator writes
 * into it: journals, secrets and states of two validators must not mix.
 * @throws RangeError, as a rejection, if the record in the folder names another owner, or none.
 */
export async function claimFolder(
  folder: string,
  { genesis, netuid }: Pick<Chain, 'genesis' | 'netuid'>,
  hotkey: string,
): Promise<void> {
  const store = directoryBucket(folder, OWNERS)
  const own = `${canonicalize({ genesis, hotkey, netuid })}\n`
  const bytes = await store.read(OWNER_FILE, LIMITS.headerBytes)
  // An existing record is written too: a crash may have prevented its sync.
  if (bytes === null || new TextDecoder().decode(bytes) === own)
    return store.write(OWNER_FILE, new TextEncoder().encode(own))
  const file = resolve(folder, OWNER_FILE)
  throw new RangeError(
    `${file} names another owner than ${own.trim()}: use another folder, or the key and the ` +
      'network of its owner',
  )
}
