import type { Hash } from '@affine/prng'

/** Files by path. The same layout on a directory, over plain HTTP, and on S3. Protocol §6.4. */
export interface Bucket {
  /**
   * The file's bytes, which are the caller's, or null if it is not there. Rejects with a
   * `BucketFailure` if there are more than `limit`, and for any other failure.
   */
  read(path: string, limit: number): Promise<Uint8Array | null>
  /**
   * Resolves once the file is durable. Never overwrites: the same bytes again are fine, other bytes
   * reject. Rejects with a `BucketFailure`.
   */
  write(path: string, bytes: Uint8Array): Promise<void>
}

/**
 * Why a bucket did not serve or store a file:
 *
 * - `status`: the server's status, other than success and "not found"; `status` has it
 * - `redirect`: a redirect, which no reader follows; `status` has it
 * - `late`: no complete response within the time allowed
 * - `connection`: no connection, or it broke before a response
 * - `body`: a body that broke off, or cannot be decoded
 * - `too-large`: more bytes than the limit
 * - `not-a-file`: a folder, a link or a device where a file is expected
 * - `conflict`: a write, where a file with other content exists
 * - `lost`: a write was confirmed, but the file cannot be read back, or has other content
 * - `disk`: the operating system's error
 * - `dropped`: the reader stopped waiting for this bucket
 */
export type BucketFailureCode =
  | 'status'
  | 'redirect'
  | 'late'
  | 'connection'
  | 'body'
  | 'too-large'
  | 'not-a-file'
  | 'conflict'
  | 'lost'
  | 'disk'
  | 'dropped'

/** The facts of a failed read or write. */
export interface BucketFailureFacts {
  readonly code: BucketFailureCode
  /** The HTTP status, if a server sent one. */
  readonly status?: number | undefined
  /** The cause in words: the service's message or the system's. */
  readonly reason: string
  /** Whether the same request would fail again. Default: false. */
  readonly isFinal?: boolean | undefined
}

/** Maximum characters of a reason. */
const MAX_REASON = 300

/**
 * A read or write of a bucket failed. The message names the file; `reason` does not. Of a reason,
 * at most 300 characters of printable ASCII are kept.
 */
export class BucketFailure extends Error implements BucketFailureFacts {
  readonly code: BucketFailureCode
  readonly status: number | undefined
  readonly reason: string
  readonly isFinal: boolean

  constructor(action: string, facts: BucketFailureFacts, cause?: unknown) {
    const reason = facts.reason.slice(0, MAX_REASON).replace(/[^ -~]+/g, '?')
    super(`cannot ${action}: ${reason}`, { cause })
    this.code = facts.code
    this.status = facts.status
    this.reason = reason
    this.isFinal = facts.isFinal ?? false
  }
}

/** Where a block is. Protocol §6.4. */
export const blockPath = (hash: Hash): string => `v1/blocks/${hash}.jsonl`
/** Where the state is that governs an epoch. Protocol §6.4. */
export const statePath = (epoch: number): string => `v1/states/${epoch}.json`
/** Where a validator writes what it tries its bucket with: no evidence. Protocol §6.4. */
export const probePath = (hotkey: string): string => `v1/probes/${hotkey}.json`

/** How time is measured by which buckets are waited for, and the clocks of games run. */
export interface Clock {
  /** Returns milliseconds since an arbitrary origin. */
  readonly now: () => number
  /** Calls `wake` after `ms` milliseconds, unless the returned function is called before. */
  readonly after: (ms: number, wake: () => void) => () => void
}

const PUBLIC_PATH = /^v1\/(?:blocks|states|probes)\/[\w-][\w.-]*$/

/** Is it a path as those above make? Nothing else in a bucket's folder is public. Protocol §6.4. */
export const isBucketPath = (path: string): boolean => PUBLIC_PATH.test(path)

/** What a web server should call a file of a bucket. */
export function mediaType(path: string): string {
  if (path.endsWith('.jsonl')) return 'application/jsonl'
  return 'application/json'
}

/**
 * @throws RangeError unless `path` is names of `[A-Za-z0-9._-]`, none with a dot in front, joined
 *   by `/`.
 */
export function checkPath(path: string): string {
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(path)) return path
  throw new RangeError(
    `"path" expected names of letters, digits, ".", "_" and "-", got ${JSON.stringify(path)}`,
  )
}

/** A URL of a host and a path only. */
const PLAIN_URL = /^https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Reports whether a reader may look up an announced bucket by name, below a place of its own. */
export const isPlainName = (announced: string): boolean => PLAIN_NAME.test(announced)

/**
 * Reports whether a reader may open the bucket that a validator announced with this URL: https, of
 * a host and a path only; on a local network (`isLocal`) http too. Protocol §6.4.
 */
export function isBucketUrl(announced: string, isLocal: boolean): boolean {
  const isAllowed = announced.startsWith('https:') || isLocal
  return isAllowed && PLAIN_URL.test(announced) && URL.canParse(announced)
}
