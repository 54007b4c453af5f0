import { LIMITS, OWNER_PATH, readOwner, writeOwner } from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { Setup } from './setup.ts'

/**
 * Has this validator's bucket say whose it is. Protocol §6.4.
 * @throws Error when it says something else, which is left as it is.
 */
export async function publishOwner({
  account,
  bucket,
  bucketUrl,
}: Pick<Setup, 'account' | 'bucket' | 'bucketUrl'>): Promise<void> {
  const { hotkey } = account
  const kept = await bucket.read(OWNER_PATH, LIMITS.ownerBytes)
  if (kept === null) {
    const owner = await writeOwner({ hotkey, address: bucketUrl }, account.sign)
    return bucket.write(OWNER_PATH, owner)
  }
  const read = readOwner(kept, verify)
  const isOwn = read.ok && read.value.hotkey === hotkey && read.value.address === bucketUrl
  if (isOwn) return
  const said = 'does not name this hotkey at the address that it announces'
  throw new Error(`${OWNER_PATH} in the bucket ${said}: delete it, to have it written anew`)
}
