import { concatBytes } from '@noble/hashes/utils.js'
import { type Bucket, checkPath } from './bucket.ts'

export interface HttpOptions {
  /**
   * A browser's own. In Node not the platform's, which a server may end the process through
   * (nodejs/undici#5360), but `nodeFetch` of `@affine/blocks/node-fetch`.
   */
  readonly fetch: typeof globalThis.fetch
  /** For a whole answer, body included; 30 seconds if left out. */
  readonly timeoutMs?: number
}

/**
 * Reads a bucket that a web server holds under `url`. No redirects are followed; reading stops at
 * the limit, which is for the bytes inside any gzip. Which addresses may be asked (https, public
 * ones) is for `fetch` to decide. Does not retry. Protocol §6.4.
 * @throws TypeError unless `url` is an http or https URL without a password.
 */
export function httpBucket(url: string | URL, options: HttpOptions): Pick<Bucket, 'read'> {
  const { fetch, timeoutMs = 30_000 } = options
  const base = folderUrl(url, 'url')

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const place = new URL(checkPath(path), base).href
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(place, { redirect: 'error', signal })
      if (response.status === 200) {
        const bytes = await readBody(response, limit, signal)
        if (bytes === null) throw new Error(`larger than ${limit} bytes`)
        return bytes
      }
      await response.body?.cancel()
      if (response.status === 404) return null
      throw new Error(`status ${response.status}`)
    } catch (error) {
      throw errorOf(`read ${place}`, error)
    }
  }
  return { read }
}

/** An http or https URL as a folder: what is resolved against it lies below. */
export function folderUrl(url: string | URL, name: string): URL {
  if (!isPlainUrl(url))
    throw new TypeError(`"${name}" expected an http or https URL without a user or password`)
  const base = new URL(url)
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return base
}

function isPlainUrl(url: string | URL): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** The bytes of an answer; null, and the rest is not read, when there are more than `limit`. */
export async function readBody(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The length that a server announces proves nothing. To throw here also cancels the body.
  const write = (chunk: Uint8Array): void => {
    size += chunk.length
    if (size > limit) throw new Error('too many bytes')
    chunks.push(chunk)
  }
  try {
    await response.body?.pipeTo(new WritableStream({ write }), { signal })
  } catch (error) {
    if (size > limit) return null
    throw error
  }
  return concatBytes(...chunks)
}

/**
 * fetch itself says only "fetch failed"; the reason (refused, redirected, no such host) is in its
 * cause.
 */
export function errorOf(what: string, error: unknown): Error {
  const { message, cause } = error as Error & { readonly cause?: Error }
  return new Error(`cannot ${what}: ${cause?.message || message}`, { cause: error })
}
