import type { Hash } from '@affine/prng'

/** Files by path, with one layout in a directory, over plain HTTP, and on S3. Protocol §6.4. */
export interface Bucket {
  /**
   * Resolves with the file's bytes, which the caller owns, or null if the file does not exist.
   * Rejects with a `BucketFailure` if the file has more than `limit` bytes, and for any other
   * failure.
   */
  read(path: string, limit: number): Promise<Uint8Array | null>
  /**
   * Resolves once the file is durable. Never overwrites: identical bytes are accepted, other bytes
   * are rejected. Rejects with a `BucketFailure`.
   */
  write(path: string, bytes: Uint8Array): Promise<void>
}

/**
 * The cause of a failed read or write:
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
 * A failed read or write of a bucket. The message names the file; `reason` does not. A reason has
 * at most 300 characters of printable ASCII.
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

/** Returns the path of a block. Protocol §6.4. */
export const blockPath = (hash: Hash): string => `v1/blocks/${hash}.jsonl`
/** Returns the path of the state that governs an epoch. Protocol §6.4. */
export const statePath = (epoch: number): string => `v1/states/${epoch}.json`

/** Maximum bytes of a state. A state with a few hundred hotkeys is much smaller. */
export const STATE_BYTES = 8_388_608
/**
 * Returns the path of the file with which a validator tests its bucket. It is not evidence.
 * Protocol §6.4.
 */
export const probePath = (hotkey: string): string => `v1/probes/${hotkey}.json`

/** The clock that limits the time of buckets, and the time of players in games. */
export interface Clock {
  /** Returns milliseconds since an arbitrary origin. */
  readonly now: () => number
  /** Calls `wake` after `ms` milliseconds, unless the returned function is called before. */
  readonly after: (ms: number, wake: () => void) => () => void
}

const PUBLIC_PATH = /^v1\/(?:blocks|states|probes)\/[\w-][\w.-]*$/

/**
 * Reports whether a path is that of a block, a state or a test file. Other files in a bucket's
 * folder are not public. Protocol §6.4.
 */
export const isBucketPath = (path: string): boolean => PUBLIC_PATH.test(path)

/** Returns the media type with which a web server sends a file of a bucket. */
export function mediaType(path: string): string {
  if (path.endsWith('.jsonl')) return 'application/jsonl'
  return 'application/json'
}

/**
 * Returns `path` unchanged.
 * @throws RangeError unless `path` is names of `[A-Za-z0-9._-]`, none beginning with a dot, joined
 *   by `/`.
 */
export function checkPath(path: string): string {
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(path)) return path
  throw new RangeError(
    `"path" expected names of letters, digits, ".", "_" and "-", got ${JSON.stringify(path)}`,
  )
}

/** A URL with only a host and a path. */
const PLAIN_URL = /^https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/**
 * Reports whether an announced bucket is a plain name, to be found below a place that the reader
 * chose.
 */
export const isPlainName = (announced: string): boolean => PLAIN_NAME.test(announced)

/**
 * Reports whether a reader may open the bucket that a validator announced with this URL: https, of
 * a host and a path only; on a local network (`isLocal`) http too. Protocol §6.4.
 */
export function isBucketUrl(announced: string, isLocal: boolean): boolean {
  const isAllowed = announced.startsWith('https:') || isLocal
  return isAllowed && PLAIN_URL.test(announced) && URL.canParse(announced)
}
