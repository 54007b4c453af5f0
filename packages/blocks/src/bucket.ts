import type { Hash } from '@affine/prng'

/** Files by path. The same layout on a directory, over plain HTTP, and on S3. Protocol §6.4. */
export interface Bucket {
  /**
   * The file's bytes, which are the caller's, or null if it is not there. Rejects if there are more
   * than `limit` or on any other failure.
   */
  read(path: string, limit: number): Promise<Uint8Array | null>
  /**
   * Resolves once the file is durable. Never overwrites: the same bytes again are fine, other bytes
   * reject.
   */
  write(path: string, bytes: Uint8Array): Promise<void>
}

/** Where a block is. Protocol §6.4. */
export const blockPath = (hash: Hash): string => `v1/blocks/${hash}.jsonl`
/** Where the state is that governs an epoch. Protocol §6.4. */
export const statePath = (epoch: number): string => `v1/states/${epoch}.json`
/** Where a validator writes what it tries its bucket with: no evidence. Protocol §6.4. */
export const probePath = (hotkey: string): string => `v1/probes/${hotkey}.json`

const LAYOUT = /^v1\/(?:blocks|states|probes)\/[\w-][\w.-]*$/

/** Is it a path as those above make? Nothing else in a bucket's folder is public. Protocol §6.4. */
export const isBucketPath = (path: string): boolean => LAYOUT.test(path)

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
