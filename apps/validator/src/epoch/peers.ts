import type { OpenBucket, Source } from '@affine/settlement'
import pLimit from 'p-limit'

const READS_AT_ONCE = 2

/**
 * The buckets of others, during one epoch. Each has two reads at once. One that fails, other than
 * by not having a file, is not asked again until `forgive`: being slow costs one time limit, not
 * one a file. Once `deadline` aborts nobody is waited for.
 */
export class Peers {
  readonly #open: OpenBucket
  readonly #deadline: Promise<never>
  readonly #sources = new Map<string, Source | null>()
  readonly #failed = new Set<string>()

  constructor(open: OpenBucket, deadline: AbortSignal) {
    this.#open = open
    this.#deadline = new Promise((_, reject) => {
      const late = () => reject(new Error('not waited for any longer'))
      if (deadline.aborted) late()
      else deadline.addEventListener('abort', late, { once: true })
    })
    this.#deadline.catch(() => undefined)
  }

  /** Lets those be asked again that failed. */
  forgive(): void {
    this.#failed.clear()
  }

  /** The bucket that a validator announced; null when it may not be opened. */
  source(hotkey: string, url: string): Source | null {
    const key = `${hotkey} ${url}`
    const known = this.#sources.get(key)
    if (known !== undefined) return known
    const source = this.#bounded(key, this.#open(hotkey, url))
    this.#sources.set(key, source)
    return source
  }

  /** The same bucket within the limits on number and time. */
  #bounded(key: string, bucket: Source | null): Source | null {
    if (bucket === null) return null
    const limit = pLimit(READS_AT_ONCE)
    const ask: Source['read'] = async (path, most) => {
      if (this.#failed.has(key)) throw new Error('failed a moment ago')
      try {
        return await Promise.race([bucket.read(path, most), this.#deadline])
      } catch (error) {
        this.#failed.add(key)
        throw error
      }
    }
    return { name: bucket.name, read: (path, most) => limit(() => ask(path, most)) }
  }
}
