import { type Bucket, BucketFailure, httpBucket, isBucketUrl, isPlainName } from '@affine/blocks'
import { describeFailure, type OpenBucket, toFailureFacts } from '@affine/settlement'

/** The results of reading a bucket. */
export interface BucketHealth {
  /** Validator that announced the bucket. */
  readonly hotkey: string
  /** URL. Undefined for an address that a page cannot open. */
  readonly place: string | undefined
  /** Address of the bucket as announced: a URL or a plain name. */
  readonly announced: string
  /** Number of files that were read. */
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

/** A browser reports a lost connection and a response that it withholds in the same way. */
const NO_ANSWER = 'no response that a page may read: check its CORS rules'

/**
 * Returns a function that opens the buckets of a subnet, and one that lists their results in the
 * order of first use. Plain names are below `base`. Announced URLs must be https; a page on the
 * reader's machine also accepts http.
 */
export function createPageBuckets(base: string | undefined) {
  const buckets = new Map<string, BucketHealth>()
  const open: OpenBucket = (hotkey, announced) => {
    const place = resolvePlace(base, announced)
    const name = `${hotkey} ${announced}`
    const counts = { files: 0, missing: 0, failure: undefined }
    const health = buckets.get(name) ?? { hotkey, place, announced, ...counts }
    buckets.set(name, health)
    return place === undefined ? null : { name: hotkey, read: createReader(place, health) }
  }
  return { open, health: (): readonly BucketHealth[] => [...buckets.values()] }
}

function resolvePlace(base: string | undefined, announced: string): string | undefined {
  if (isBucketUrl(announced, LOOPBACK.test(self.origin))) return announced
  if (base === undefined || !isPlainName(announced)) return undefined
  return `${base.replace(/\/$/, '')}/${announced}`
}

/** Returns a function that reads a bucket's files, and adds the results to `health`. */
function createReader(place: string, health: BucketHealth): Bucket['read'] {
  const { read } = httpBucket(place, { fetch: ask, timeoutMs: TIMEOUT_MS })
  return async (path, limit) => {
    try {
      const bytes = await read(path, limit)
      health[bytes === null ? 'missing' : 'files'] += 1
      return bytes
    } catch (error) {
      const failure = toFailureFacts(error as Error)
      health.failure = failure.code === 'connection' ? NO_ANSWER : describeFailure(failure)
      throw new BucketFailure(`read ${path}`, failure, error)
    }
  }
}
