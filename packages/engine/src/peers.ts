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
  readonly #deadline: AbortSignal
  /** Ends each read that is under way. */
  readonly #ends = new Set<() => void>()
  readonly #sources = new Map<string, Source | null>()

  constructor(open: OpenBucket, deadline: AbortSignal) {
    this.#open = open
    this.#deadline = deadline
    const endAll = (): void => {
      for (const end of this.#ends) end()
    }
    deadline.addEventListener('abort', endAll, { once: true })
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
    const read: Source['read'] = (path, most) => limit(() => this.#inTime(bucket.read(path, most)))
    return { name: bucket.name, read }
  }

  /** Not by Promise.race, by which the deadline would hold all that was read until it comes. */
  #inTime<Read>(reading: Promise<Read>): Promise<Read> {
    return new Promise((resolve, reject) => {
      const end = (): void => reject(new Error('not waited for any longer'))
      if (this.#deadline.aborted) end()
      this.#ends.add(end)
      reading.then(resolve, reject).finally(() => this.#ends.delete(end))
    })
  }
}
