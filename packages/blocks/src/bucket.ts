import type { Hash } from '@affine/prng'
import { concatBytes } from '@noble/hashes/utils.js'

/** Files by path. The same layout on a directory, over plain HTTP, and on S3. */
export interface Bucket {
  /** The file's bytes, or null if it is not there. Rejects if there are more than `limit` or on any other failure. */
  read(path: string, limit: number): Promise<Uint8Array | null>
  /** Resolves once the file is durable. Never overwrites: the same bytes again are fine, other bytes reject. */
  write(path: string, bytes: Uint8Array): Promise<void>
}

export const blockPath = (hash: Hash): string => `v1/blocks/${hash}.jsonl`
export const statePath = (epoch: number): string => `v1/states/${epoch}.json`

/** @throws RangeError unless `path` is names of `[A-Za-z0-9._-]`, none with a dot in front, joined by `/`. */
export function checkPath(path: string): string {
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(path)) return path
  throw new RangeError(`"path" expected names of letters, digits, ".", "_" and "-", got ${JSON.stringify(path)}`)
}

/**
 * Reads a bucket that a web server holds under `url`. No redirects are followed; reading stops at the limit. Which
 * addresses may be asked (https, public ones) is for the caller to decide. `timeoutMs` is for the whole answer, body
 * included. Does not retry.
 * @throws TypeError unless `url` is an http or https URL.
 */
export function httpBucket(
  url: string | URL,
  { fetch = globalThis.fetch, timeoutMs = 30_000 }: { fetch?: typeof globalThis.fetch; timeoutMs?: number } = {},
): Pick<Bucket, 'read'> {
  const base = new URL(url)
  if (!/^https?:$/.test(base.protocol)) throw new TypeError(`"url" expected http or https, got ${base.protocol}`)
  if (!base.pathname.endsWith('/')) base.pathname += '/'

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const place = new URL(checkPath(path), base).href
    const chunks: Uint8Array[] = []
    let left = limit
    // The length that a server announces proves nothing. To throw here also cancels the body.
    const write = (chunk: Uint8Array): void => {
      left -= chunk.length
      if (left < 0) throw new Error(`larger than ${limit} bytes`)
      chunks.push(chunk)
    }
    try {
      const response = await fetch(place, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
      if (response.status !== 200) await response.body?.cancel()
      if (response.status === 404) return null
      if (response.status !== 200) throw new Error(`status ${response.status}`)
      await response.body?.pipeTo(new WritableStream({ write }))
      return concatBytes(...chunks)
    } catch (error) {
      // fetch itself says only "fetch failed"; the reason (refused, redirected, no such host) is in its cause.
      const { message, cause } = error as Error & { cause?: Error }
      throw new Error(`cannot read ${place}: ${cause?.message || message}`, { cause: error })
    }
  }
  return { read }
}
