import { BucketFailure, httpBucket, isBucketUrl, isPlainName } from '@affine/blocks'
import { describeFailure, type OpenBucket, toFailureFacts } from '@affine/settlement'

/** The state of a bucket. */
export interface BucketHealth {
  /** The validator that announced it. */
  readonly hotkey: string
  /** URL. Undefined for an address that a page cannot open. */
  readonly place: string | undefined
  readonly announced: string
  files: number
  /** Requested files that it did not have. */
  missing: number
  /** Reason of its latest failure. */
  failure: string | undefined
}

/** Timeout of a complete response. */
const TIMEOUT_MS = 10_000

/** Matches an origin on the reader's machine. The origin of the worker is the page's. */
const LOOPBACK = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|$)/

/** Fetches without cookies and without the page's address. */
const ask: typeof fetch = (input, init) =>
  fetch(input, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' })

/** The buckets of a subnet as a page reads them, with their states. */
export class PageBuckets {
  readonly #base: string | undefined
  readonly #health = new Map<string, BucketHealth>()

  /**
   * Creates the buckets. Plain names are resolved below `base`. Announced URLs must be https; http
   * is allowed for a page on the reader's machine.
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

  /** Returns the states of buckets, in the order of first use. */
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

/**
 * A browser does not distinguish a lost connection from a response that it withholds, and a second
 * request would be needed to find out.
 */
const NO_ANSWER = 'no response that a page may read: check its CORS rules'
