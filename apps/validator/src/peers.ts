import type { Source } from '@affine/verifier'
import pLimit from 'p-limit'
import type { Setup } from './setup.ts'

const READS_AT_ONCE = 2

/**
 * The buckets of others, during one epoch. Each has two reads at once. One that fails, other than
 * by not having a file, is not asked again until `forgive`: being slow costs one time limit, not
 * one a file. Once `deadline` aborts nobody is waited for.
 */
export class Peers {
  readonly #open: Setup['openBucket']
  readonly #deadline: Promise<never>
  readonly #sources = new Map<string, Source | null>()
  readonly #failed = new Set<string>()

  constructor(open: Setup['openBucket'], deadline: AbortSignal) {
    this.#open = open
    this.#deadline = new Promise((_, reject) => {
      const late = () => reject(new Error('not waited for any longer'))
      if (deadline.aborted) late()
      else deadline.addEventListener('abort', late, { once: true })
    })
    this.#deadline.catch(() => undefined)
  }

  forgive(): void {
    this.#failed.clear()
  }

  /** The bucket that a validator announced; null when it may not be opened. */
  source(hotkey: string, url: string): Source | null {
    const key = `${hotkey} ${url}`
    const known = this.#sources.get(key)
    if (known !== undefined) return known
    const bucket = this.#open(hotkey, url)
    const limit = pLimit(READS_AT_ONCE)
    const read: Source['read'] = (path, most) =>
      limit(async () => {
        if (this.#failed.has(key) || bucket === null) throw new Error('failed a moment ago')
        const bytes = Promise.race([bucket.read(path, most), this.#deadline])
        return bytes.catch((error) => {
          this.#failed.add(key)
          throw error
        })
      })
    const source = bucket && { name: bucket.name, read }
    this.#sources.set(key, source)
    return source
  }
}
