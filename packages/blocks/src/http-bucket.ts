import { concatBytes } from '@noble/hashes/utils.js'
import { type Bucket, BucketFailure, checkPath } from './bucket.ts'

export interface HttpOptions {
  /**
   * In a browser, its own fetch. In Node, a fetch over `node:http`, because a server can crash a
   * process that uses Node's own fetch (nodejs/undici#5360).
   */
  readonly fetch: typeof globalThis.fetch
  /** Time for a whole response in milliseconds. Default: 30 seconds. */
  readonly timeoutMs?: number
}

/**
 * Returns a reader of the bucket below `url` on a web server. Limits count decompressed bytes.
 * `fetch` decides which addresses are allowed. Follows no redirect, and does not retry. Protocol
 * §6.4.
 * @throws TypeError unless `url` is an http or https URL without a user and password.
 */
export function httpBucket(url: string | URL, options: HttpOptions): Pick<Bucket, 'read'> {
  const { fetch, timeoutMs = 30_000 } = options
  const base = toFolderUrl(url, 'url')

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const { href } = new URL(checkPath(path), base)
    const signal = AbortSignal.timeout(timeoutMs)
    const request: FileRequest = { action: `read ${href}`, url: href, signal, fetch }
    return requestFile(request, {}, async (response) => {
      if (response.status === 200) {
        const bytes = await readBody(response, limit, signal)
        if (bytes === null) throw createTooLarge(request, limit)
        return bytes
      }
      if (response.status !== 404) throw await readFailure(request, response)
      await response.body?.cancel()
      return null
    })
  }
  return { read }
}

/** A request that reads or writes a file. */
export interface FileRequest extends Pick<HttpOptions, 'fetch'> {
  /** Name in errors, such as "read https://…". */
  readonly action: string
  readonly url: string
  /** Limits the time of the whole response. */
  readonly signal: AbortSignal
}

/**
 * Sends a request and reads its response. Follows no redirect.
 * @throws BucketFailure if the service is unreachable, its response is late or breaks off, or
 *   `readResponse` throws.
 */
export async function requestFile<Answer>(
  { action, url, signal, fetch }: FileRequest,
  init: RequestInit,
  readResponse: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const fail = (code: 'connection' | 'body') => (error: unknown) => {
    if (error instanceof BucketFailure) throw error
    const late = { code: 'late', reason: 'no complete response in time' } as const
    const facts = signal.aborted ? late : { code, reason: describeError(error) }
    throw new BucketFailure(action, facts, error)
  }
  const sent = fetch(url, { ...init, redirect: 'manual', signal })
  const response = await sent.catch(fail('connection'))
  return readResponse(response).catch(fail('body'))
}

/** Returns an error's message, or that of its cause: fetch may state only "fetch failed". */
function describeError(error: unknown): string {
  const { message, cause, errors } = Object(error)
  if (cause instanceof Error) return describeError(cause)
  if (Array.isArray(errors) && !message) return errors.map(describeError).join('; ')
  return String(message)
}

export function createTooLarge({ action }: FileRequest, limit: number): BucketFailure {
  const reason = `larger than ${limit} bytes`
  return new BucketFailure(action, { code: 'too-large', reason, isFinal: true })
}

/** Returns the failure that a response's status reports. */
async function readFailure(
  { action, signal }: FileRequest,
  response: Response,
): Promise<BucketFailure> {
  const { status, type } = response
  const text = await readMessage(response, signal).catch(() => '')
  // A browser does not show the status of a redirect.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    const reason = `status ${status}: no redirect is followed`
    return new BucketFailure(action, { code: 'redirect', status, reason })
  }
  return new BucketFailure(action, { code: 'status', status, reason: describeStatus(status, text) })
}

/** Maximum bytes of a response without a file. */
const MESSAGE_BYTES = 65_536

/** Reads the text of a response without a file. Empty if the text is too long. */
export async function readMessage(response: Response, signal: AbortSignal): Promise<string> {
  const bytes = await readBody(response, MESSAGE_BYTES, signal)
  return new TextDecoder().decode(bytes ?? undefined)
}

/** Returns the code in a service's XML. Empty without a code that is safe to print. */
export const findCode = (text: string): string => /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? ''

/** Returns a status in words, with code and message from a service's XML. */
export function describeStatus(status: number, text: string): string {
  const [, message] = /<Message>([^<]{1,200})/.exec(text) ?? []
  const statusAndCode = [`status ${status}`, findCode(text)].filter(Boolean).join(' ')
  return message === undefined ? statusAndCode : `${statusAndCode}: ${message.trim()}`
}

/** Returns an http or https URL that ends in a slash, so that relative paths resolve below it. */
export function toFolderUrl(url: string | URL, name: string): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (!base || !/^https?:$/.test(base.protocol) || base.username || base.password)
    throw new TypeError(`"${name}" expected an http or https URL without a user or password`)
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return base
}

/** Reads a body. Resolves with null, and cancels the rest, if it has more than `limit` bytes. */
export async function readBody(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The announced length proves nothing. Throwing here also cancels the body.
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
