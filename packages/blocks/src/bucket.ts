import type { Hash } from '@affine/prng'

/** Files by path, with one layout in a directory, over plain HTTP, and on S3. Protocol §6.4. */
export interface Bucket {
  /**
   * Resolves with the file's bytes, which the caller owns, or null if the file does not exist.
   * Rejects with a `BucketFailure`, also if the file has more than `limit` bytes.
   */
  read(path: string, limit: number): Promise<Uint8Array | null>
  /**
   * Resolves once the file is durable, also if it existed with the same bytes. Rejects with a
   * `BucketFailure`, also if it has other bytes: nothing is overwritten.
   */
  write(path: string, bytes: Uint8Array): Promise<void>
}

/**
 * The cause of a failed read or write:
 *
 * - `status`: an error response; the field `status` has its HTTP status
 * - `redirect`: a web server's redirect, which no reader follows; the field `status` has its status
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

export interface BucketFailureFacts {
  readonly code: BucketFailureCode
  /** HTTP status, if a server sent one. */
  readonly status?: number | undefined
  /** The cause in words, such as the message of the service or the system. */
  readonly reason: string
  /** Whether the same request is known to fail again. Default: false. */
  readonly isFinal?: boolean | undefined
}

const MAX_REASON = 300

/**
 * A failed read or write of a bucket. The message states the action and the reason, which has at
 * most 300 characters of printable ASCII.
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

/** Maximum bytes of a state. */
export const STATE_BYTES = 8_388_608
/** Returns the path of the file with which a validator tests its bucket. Protocol §6.4. */
export const probePath = (hotkey: string): string => `v1/probes/${hotkey}.json`

/** The clock that limits the time of reads of buckets, and the time of players in games. */
export interface Clock {
  /** Returns milliseconds since an arbitrary origin. */
  readonly now: () => number
  /** Calls `wake` after `ms` milliseconds. The returned function cancels the call. */
  readonly after: (ms: number, wake: () => void) => () => void
}

const PUBLIC_PATH = /^v1\/(?:blocks|states|probes)\/[\w-][\w.-]*$/

/** Reports whether a path is that of a public file: a block, a state or a probe. Protocol §6.4. */
export const isBucketPath = (path: string): boolean => PUBLIC_PATH.test(path)

/** Returns the media type of a bucket's file. */
export const mediaType = (path: string): string =>
  path.endsWith('.jsonl') ? 'application/jsonl' : 'application/json'

/**
 * Returns `path` unchanged.
 * @throws RangeError unless `path` consists of names of `[A-Za-z0-9._-]`, none beginning with a
 *   dot, joined by `/`.
 */
export function checkPath(path: string): string {
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(path)) return path
  throw new RangeError(
    `"path" expected names as in v1/states/7.json, none hidden, got ${JSON.stringify(path)}`,
  )
}

/** Reports whether bytes are equal. A loop takes ten times as long as Node's `Buffer`. */
export function areSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  if (typeof Buffer === 'function') return Buffer.compare(a, b) === 0
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const PLAIN_URL = /^https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/**
 * Reports whether an announced bucket is a plain name. A reader looks it up below a folder or URL
 * of its choice.
 */
export const isPlainName = (announced: string): boolean => PLAIN_NAME.test(announced)

/**
 * Reports whether a reader may open the bucket at an announced URL: https, with only a host and a
 * path; on a local network (`isLocal`) http too. Protocol §6.4.
 */
export function isBucketUrl(announced: string, isLocal: boolean): boolean {
  const isAllowed = announced.startsWith('https:') || isLocal
  return isAllowed && PLAIN_URL.test(announced) && URL.canParse(announced)
}
