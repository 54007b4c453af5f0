import type { Failed, OpenBucket, Source } from '@affine/settlement'
import pLimit, { type LimitFunction } from 'p-limit'

const READS_AT_ONCE = 2
/** Blocks that are read, checked and written at a time, of up to 8 MiB each. */
const BLOCKS_AT_ONCE = 32

/**
 * The buckets of others, during one epoch. Each gets at most two reads at once. Once `deadline`
 * aborts, every read fails at once.
 */
export class Peers {
  /** Buckets that were silent, slow or wrong in this epoch: they are asked last. Protocol §6.4. */
  readonly failed: Failed = new Set()
  /** Limits how many blocks are held at a time. */
  readonly blocks: LimitFunction = pLimit(BLOCKS_AT_ONCE)
  readonly #open: OpenBucket
  readonly #deadline: Promise<never>
  readonly #sources = new Map<string, Source | null>()

  constructor(open: OpenBucket, deadline: AbortSignal) {
    this.#open = open
    this.#deadline = new Promise((_, reject) => {
      const late = () => reject(new Error('not waited for any longer'))
      if (deadline.aborted) late()
      else deadline.addEventListener('abort', late, { once: true })
    })
    this.#deadline.catch(() => undefined)
  }

  /** The bucket that a validator announced; null when it may not be opened. */
  source(hotkey: string, url: string): Source | null {
    const key = `${hotkey} ${url}`
    const known = this.#sources.get(key)
    if (known !== undefined) return known
    const source = this.#bounded(this.#open(hotkey, url))
    this.#sources.set(key, source)
    return source
  }

  /** The same bucket within the limits on number and time. */
  #bounded(bucket: Source | null): Source | null {
    if (bucket === null) return null
    const limit = pLimit(READS_AT_ONCE)
    const read: Source['read'] = (path, most) =>
      limit(() => Promise.race([bucket.read(path, most), this.#deadline]))
    return { name: bucket.name, read }
  }
}
