import {
  BucketFailure,
  type BucketFailureFacts,
  httpBucket,
  isBucketUrl,
  isPlainName,
} from '@affine/blocks'
import { failureOf, failureText, type OpenBucket } from '@affine/settlement'

/** What a bucket did when it was asked. */
export interface BucketHealth {
  /** Whose it is. */
  readonly hotkey: string
  /** Where it was looked for; undefined for an address that a page does not open. */
  readonly place: string | undefined
  readonly announced: string
  files: number
  /** How often it did not have what was asked for. */
  missing: number
  /** Why it did not answer, the last time that it did not. */
  failure: string | undefined
}

/** For a whole answer. */
const TIMEOUT_MS = 10_000

/** Asks without cookies and without saying which page asks. */
const ask: typeof fetch = (input, init) =>
  fetch(input, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' })

/** The buckets of a subnet as a page reads them, and what became of it. */
export class PageBuckets {
  readonly #base: string | undefined
  readonly #isLocal: boolean
  readonly #health = new Map<string, BucketHealth>()

  /**
   * Plain names are looked up below `base`. Announced URLs have to be https; with `isLocal`, for
   * pages on one's own machine, http too.
   */
  constructor(base: string | undefined, isLocal: boolean) {
    this.#base = base
    this.#isLocal = isLocal
  }

  /** For a reader that recomputes. */
  readonly open: OpenBucket = (hotkey, announced) => {
    const place = this.#placeOf(announced)
    const name = `${hotkey} ${announced}`
    const counts = { files: 0, missing: 0, failure: undefined }
    const health = this.#health.get(name) ?? { hotkey, place, announced, ...counts }
    this.#health.set(name, health)
    if (place === undefined) return null
    return { name: hotkey, read: (path, limit) => this.#read(health, place, { path, limit }) }
  }

  /** In the order in which buckets were met. */
  health(): readonly BucketHealth[] {
    return [...this.#health.values()]
  }

  #placeOf(announced: string): string | undefined {
    if (isBucketUrl(announced, this.#isLocal)) return announced
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
      if (bytes === null) {
        health.missing += 1
        return null
      }
      health.files += 1
      return bytes
    } catch (error) {
      const failure = failureOf(error as Error)
      health.failure = describeFailure(failure)
      throw new BucketFailure(`read ${path}`, failure, error)
    }
  }
}

/**
 * Returns a failure in words. A browser does not distinguish a lost connection from an answer that
 * it withholds, and to find out would take another request.
 */
function describeFailure(failure: BucketFailureFacts): string {
  if (failure.code !== 'connection') return failureText(failure)
  return 'no answer that a page may read: check its CORS rules'
}
