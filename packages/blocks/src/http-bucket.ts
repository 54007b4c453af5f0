import { concatBytes } from '@noble/hashes/utils.js'
import { type Bucket, checkPath } from './bucket.ts'

export interface HttpOptions {
  readonly fetch?: typeof globalThis.fetch
  /** For a whole answer, body included; 30 seconds if left out. */
  readonly timeoutMs?: number
}

/**
 * Reads a bucket that a web server holds under `url`. No redirects are followed; reading stops at
 * the limit, which is for the bytes inside any gzip. Which addresses may be asked (https, public
 * ones) is for `fetch` to decide. Does not retry.
 * @throws TypeError unless `url` is an http or https URL without a password.
 */
export function httpBucket(url: string | URL, options: HttpOptions = {}): Pick<Bucket, 'read'> {
  const { fetch = globalThis.fetch, timeoutMs = 30_000 } = options
  const base = folderUrl(url, 'url')

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const place = new URL(checkPath(path), base).href
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(place, { redirect: 'error', signal })
      const { status, body } = response
      const bytes = status === 200 ? await readBody(response, limit, signal) : await body?.cancel()
      if (bytes) return bytes
      if (status === 404) return null
      throw new Error(status === 200 ? `larger than ${limit} bytes` : `status ${status}`)
    } catch (error) {
      throw failed(`read ${place}`, error)
    }
  }
  return { read }
}

/** An http or https URL as a folder: what is resolved against it lies below. */
export function folderUrl(url: string | URL, name: string): URL {
  const base = URL.canParse(url) ? new URL(url) : null
  if (!base || !/^https?:$/.test(base.protocol) || base.username || base.password)
    throw new TypeError(`"${name}" expected an http or https URL without a user or password`)
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return base
}

/** The bytes of an answer; null, and the rest is not read, when there are more than `limit`. */
export async function readBody(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let left = limit
  // The length that a server announces proves nothing. To throw here also cancels the body.
  const write = (chunk: Uint8Array): void => {
    left -= chunk.length
    if (left < 0) throw new Error('too many bytes')
    chunks.push(chunk)
  }
  const read = response.body?.pipeTo(new WritableStream({ write }), { signal })
  await read?.catch((error) => left < 0 || Promise.reject(error))
  return left < 0 ? null : concatBytes(...chunks)
}

/**
 * fetch itself says only "fetch failed"; the reason (refused, redirected, no such host) is in its
 * cause.
 */
export function failed(what: string, error: unknown): Error {
  const { message, cause } = error as Error & { readonly cause?: Error }
  return new Error(`cannot ${what}: ${cause?.message || message}`, { cause: error })
}
