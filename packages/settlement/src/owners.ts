import { LIMITS, OWNER_PATH, readOwner } from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { Holder } from './holders.ts'
import type { Source } from './sources.ts'

/**
 * Whose an announced bucket is, by what it says itself: the announcer's, another hotkey's, or not
 * known.
 */
export type Ownership = 'own' | 'another' | 'unknown'

/** What buckets say of themselves. Each is asked until it has answered once. Protocol §6.4. */
export class Owners {
  /** By hotkey and address. */
  readonly #known = new Map<string, Promise<Ownership>>()

  /** Whose is the bucket that `holder` announced? Never rejects. */
  ownershipOf(holder: Holder, source: Source): Promise<Ownership> {
    const key = `${holder.hotkey} ${holder.url}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const asking = source.read(OWNER_PATH, LIMITS.ownerBytes).then(
      (bytes) => ownershipIn(bytes, holder),
      (): Ownership => {
        this.#known.delete(key)
        return 'unknown'
      },
    )
    this.#known.set(key, asking)
    return asking
  }
}

function ownershipIn(bytes: Uint8Array | null, { hotkey, url }: Holder): Ownership {
  const read = bytes && readOwner(bytes, verify)
  if (!read?.ok) return 'unknown'
  if (read.value.hotkey !== hotkey) return 'another'
  return read.value.address === url ? 'own' : 'unknown'
}
