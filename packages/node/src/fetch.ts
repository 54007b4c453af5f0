import * as http from 'node:http'
import * as https from 'node:https'
import { describeConnectionFailure } from './connection-reason.ts'
import { decodeBody } from './content-encoding.ts'
import { type Agents, createAgents, type IncomingResponse, sendRequest } from './http-request.ts'

const DEFAULT_HEADERS = { 'accept-encoding': 'gzip, br', 'user-agent': 'affine' }

/**
 * Returns a fetch over `node:http` and `node:https`. The platform's own is undici: with each of its
 * releases for Node 20, a server that closes a connection whose body waits to be read may end the
 * process (nodejs/undici#5360). It follows no redirect: a redirect is an error, or is returned with
 * `redirect: 'manual'`. `signal` has to limit the time of the whole response, and the reader its
 * size: only the bytes that are read are received and decoded.
 */
export function fetchBy(agents: Agents): typeof globalThis.fetch {
  return async (input, init) => {
    const signal = init?.signal ?? undefined
    const request = new Request(input, { ...init, signal: null })
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined
    const open = (): http.ClientRequest => openRequest(request, agents, signal)
    const incoming = await sendRequest(open, body).catch((error: NodeJS.ErrnoException) => {
      signal?.throwIfAborted()
      throw Object.assign(error, { message: describeConnectionFailure(error) })
    })
    const { response } = incoming
    try {
      const isRefused = request.redirect !== 'manual' && isRedirect(response)
      if (isRefused) throw new Error(`status ${response.statusCode}: redirects are not followed`)
      return toWebResponse(incoming, signal)
    } catch (error) {
      response.destroy()
      throw error
    }
  }
}

/** A fetch for servers that the user names. */
export const nodeFetch: typeof globalThis.fetch = fetchBy(createAgents())

function openRequest(
  { url, method, headers }: Request,
  agents: Agents,
  signal: AbortSignal | undefined,
): http.ClientRequest {
  const { protocol } = new URL(url)
  const agent = protocol === 'http:' || protocol === 'https:' ? agents[protocol] : undefined
  if (agent === undefined) {
    const protocols = Object.keys(agents).join(' or ').replaceAll(':', '')
    throw new TypeError(`"url" expected ${protocols}, got ${protocol}`)
  }
  const { request } = protocol === 'https:' ? https : http
  const options = { method, agent, headers: { ...DEFAULT_HEADERS, ...Object.fromEntries(headers) } }
  return request(url, signal ? { ...options, signal } : options)
}

const isRedirect = ({ statusCode = 0 }: http.IncomingMessage): boolean =>
  [301, 302, 303, 307, 308].includes(statusCode)

/**
 * Converts a response to a response of fetch.
 * @throws RangeError for a status that fetch does not know.
 */
function toWebResponse(incoming: IncomingResponse, signal: AbortSignal | undefined): Response {
  const { response } = incoming
  const { statusCode: status = 0, headersDistinct } = response
  const headers = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [
    name,
    values.join(', '),
  ])
  const hasBody = ![204, 205, 304].includes(status)
  if (!hasBody) response.destroy()
  return new Response(hasBody ? toWebBody(incoming, signal) : null, { status, headers })
}

/** Returns the body, which is decoded while it is read. */
function toWebBody(
  { response, take }: IncomingResponse,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  // The reader receives a failure that occurs before it reads.
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
