import { describeConnectionFailure } from './connection-reason.ts'
import { decodeBody } from './content-encoding.ts'
import { type Agents, createAgents, type IncomingResponse, sendRequest } from './http-request.ts'

const DEFAULT_HEADERS = { 'accept-encoding': 'gzip, br', 'user-agent': 'affine' }

/**
 * Returns a fetch over `node:http` and `node:https`. Node's own fetch is undici's. In every undici
 * release for Node 20, a server that closes the connection of an unread body may end the process
 * (nodejs/undici#5360). Follows no redirect: resolves with it, regardless of `redirect`. Callers
 * have to limit the time of the whole response, by `signal`, and its size, by not reading further:
 * only bytes that are read are received and decoded.
 */
export function fetchBy(agents: Agents): typeof globalThis.fetch {
  return async (input, init) => {
    const signal = init?.signal ?? undefined
    const request = new Request(input, { ...init, signal: null })
    const { url, method } = request
    const headers = { ...DEFAULT_HEADERS, ...Object.fromEntries(request.headers) }
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined
    const sending = sendRequest(url, { method, headers, body, signal }, agents)
    const incoming = await sending.catch((error: NodeJS.ErrnoException) => {
      signal?.throwIfAborted()
      throw Object.assign(error, { message: describeConnectionFailure(error) })
    })
    try {
      return toWebResponse(incoming, signal)
    } catch (error) {
      incoming.response.destroy()
      throw error
    }
  }
}

/** A fetch for servers that the user names. */
export const nodeFetch: typeof globalThis.fetch = fetchBy(createAgents())

/**
 * Converts a response of `node:http` to fetch's `Response`.
 * @throws RangeError for a status that fetch does not know.
 */
function toWebResponse(incoming: IncomingResponse, signal: AbortSignal | undefined): Response {
  const { response } = incoming
  const { statusCode: status = 0 } = response
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value))
  const hasBody = ![204, 205, 304].includes(status)
  if (!hasBody) response.destroy()
  return new Response(hasBody ? toWebBody(incoming, signal) : null, { status, headers })
}

/** Returns the body, which is decoded while it is read. */
function toWebBody(
  { response, take }: IncomingResponse,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  // Without a listener, a failure before the first read would end the process. The reader still
  // receives it.
  response.on('error', () => {})
  const body = decodeBody(response)
  const chunks = body[Symbol.asyncIterator]()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await chunks.next().catch((error) => {
      response.destroy()
      throw signal?.aborted ? signal.reason : error
    })
    if (done) return controller.close()
    take(value.length)
    controller.enqueue(value)
  }
  const cancel = (): void => {
    // A connection with a complete response can be reused.
    if (body === response && response.complete) return void response.resume()
    response.destroy()
    chunks.return?.().catch(() => {})
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}
