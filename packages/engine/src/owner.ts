import { join, resolve } from 'node:path'
import { LIMITS } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import type { Chain } from '@affine/chain'
import { AlteredFile, OWNERS } from '@affine/node/disk'
import { canonicalize, type Hash } from '@affine/prng'

const OWNER_FILE = 'owner.json'

/**
 * Records durably that a hotkey on one subnet of one chain owns `folder`, before a validator writes
 * into it: journals, secrets and states of two validators must not mix.
 * @throws RangeError, as a rejection, if the folder has another owner; AlteredFile if the record of
 *   the owner was altered.
 */
export async function claimFolder(
  folder: string,
  { genesis, netuid }: Pick<Chain, 'genesis' | 'netuid'>,
  hotkey: string,
): Promise<void> {
  const store = directoryBucket(folder, OWNERS)
  const own = formatOwner(genesis, hotkey, netuid)
  const bytes = await store.read(OWNER_FILE, LIMITS.headerBytes)
  const owner = bytes === null ? own : new TextDecoder().decode(bytes)
  // An existing record is written too: a crash may have prevented its sync.
  if (owner === own) return store.write(OWNER_FILE, new TextEncoder().encode(own))
  const place = resolve(folder)
  const named = describeOwner(owner)
  if (named === undefined)
    throw new AlteredFile(join(place, OWNER_FILE), 'NOT_A_RECORD', 'it does not contain an owner')
  throw new RangeError(
    `${place} belongs to ${named}, not to ${describeOwner(own)}: ` +
      'use another folder, or the key and the network of its owner',
  )
}

const formatOwner = (genesis: Hash, hotkey: string, netuid: number): string =>
  `${canonicalize({ genesis, hotkey, netuid })}\n`

const RECORD_TEXT = /^\{"genesis":"([0-9a-f]{64})","hotkey":"(\w{1,64})","netuid":(\d{1,5})\}\n$/

/** Returns the owner in a record as a text, or undefined for any other text. */
function describeOwner(record: string): string | undefined {
  const [, genesis, hotkey, netuid] = RECORD_TEXT.exec(record) ?? []
  if (genesis === undefined) return undefined
  return `${hotkey} on subnet ${netuid} of the chain with genesis ${genesis}`
}
