import { BucketFailure, httpBucket, isBucketUrl, isPlainName } from '@affine/blocks'
import { describeFailure, type OpenBucket, toFailureFacts } from '@affine/settlement'

/** The results of reading a bucket. */
export interface BucketHealth {
  /** Validator that announced the bucket. */
  readonly hotkey: string
  /** URL. Undefined for an address that a page cannot open. */
  readonly place: string | undefined
  readonly announced: string
  files: number
  /** Number of requested files that the bucket did not have. */
  missing: number
  /** Reason for the latest failure. */
  failure: string | undefined
}

/** Timeout of a complete response. */
const TIMEOUT_MS = 10_000

/** Origins on the reader's machine. A worker has the origin of its page. */
const LOOPBACK = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|$)/

/** Fetches without cookies and without the page's address. */
const ask: typeof fetch = (input, init) =>
  fetch(input, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' })

/** The buckets of a subnet, as a page reads them. */
export class PageBuckets {
  readonly #base: string | undefined
  readonly #health = new Map<string, BucketHealth>()

  /**
   * Resolves plain names below `base`. Announced URLs must be https; a page on the reader's machine
   * also accepts http.
   */
  constructor(base: string | undefined) {
    this.#base = base
  }

  /** Opens a bucket for `recompute`. */
  readonly open: OpenBucket = (hotkey, announced) => {
    const place = this.#placeOf(announced)
    const name = `${hotkey} ${announced}`
    const counts = { files: 0, missing: 0, failure: undefined }
    const health = this.#health.get(name) ?? { hotkey, place, announced, ...counts }
    this.#health.set(name, health)
    if (place === undefined) return null
    return { name: hotkey, read: (path, limit) => this.#read(health, place, { path, limit }) }
  }

  /** Returns the results of all buckets, in the order of first use. */
  health(): readonly BucketHealth[] {
    return [...this.#health.values()]
  }

  #placeOf(announced: string): string | undefined {
    if (isBucketUrl(announced, LOOPBACK.test(self.origin))) return announced
    if (this.#base === undefined || !isPlainName(announced)) return undefined
    return `${this.#base.replace(/\/$/, '')}/${announced}`
  }

  async #read(
    health: BucketHealth,
    place: string,
    { path, limit }: { readonly path: string; readonly limit: number },
  ): Promise<Uint8Array | null> {
    try {
      const bytes = await httpBucket(place, { fetch: ask, timeoutMs: TIMEOUT_MS }).read(path, limit)
      health[bytes === null ? 'missing' : 'files'] += 1
      return bytes
    } catch (error) {
      const failure = toFailureFacts(error as Error)
      health.failure = failure.code === 'connection' ? NO_ANSWER : describeFailure(failure)
      throw new BucketFailure(`read ${path}`, failure, error)
    }
  }
}

/** A browser reports a lost connection and a response that it withholds in the same way. */
const NO_ANSWER = 'no response that a page may read: check its CORS rules'
