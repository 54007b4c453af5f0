import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'

/** What opens connections, by protocol. What has none is not spoken. */
export interface Agents {
  readonly 'http:'?: http.Agent
  readonly 'https:': https.Agent
}

/**
 * How connections to one host are kept: idle ones for less than the five seconds after which
 * servers of Node's close them.
 */
export const KEPT: http.AgentOptions = {
  keepAlive: true,
  timeout: 4000,
  maxSockets: 64,
  maxFreeSockets: 8,
}

const DEFAULT_HEADERS = { 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'affine' }

/**
 * A fetch by Node's own `node:http` and `node:https`. The platform's is undici, of which every
 * release for Node 20 may end the process when a server closes a connection whose body waits to be
 * read (nodejs/undici#5360). It follows no redirect: one is an error, or is returned with
 * `redirect: 'manual'`. The time of a whole answer, body included, is for `signal` to bound, its
 * size for the reader: no more is received or inflated than is read, and a server that sends much
 * that cannot be read is left.
 */
export function fetchBy(agents: Agents): typeof globalThis.fetch {
  return async (input, init) => {
    const signal = init?.signal ?? undefined
    const request = new Request(input, { ...init, signal: null })
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined
    const incoming = await exchange(() => openRequest(request, agents, signal), body)
    const { response } = incoming
    try {
      const isRefused = request.redirect !== 'manual' && isRedirect(response)
      if (isRefused) throw new Error(`status ${response.statusCode}: no redirect is followed`)
      return webResponse(incoming, signal)
    } catch (error) {
      response.destroy()
      throw error
    }
  }
}

/** For servers that the user of a program names. */
export const nodeFetch: typeof globalThis.fetch = fetchBy({
  'http:': new http.Agent(KEPT),
  'https:': new https.Agent(KEPT),
})

function openRequest(
  { url, method, headers }: Request,
  agents: Agents,
  signal: AbortSignal | undefined,
): http.ClientRequest {
  const { protocol } = new URL(url)
  const agent = protocol === 'http:' || protocol === 'https:' ? agents[protocol] : undefined
  if (agent === undefined) {
    const spoken = Object.keys(agents).join(' or ').replaceAll(':', '')
    throw new TypeError(`"url" expected ${spoken}, got ${protocol}`)
  }
  const { request } = protocol === 'https:' ? https : http
  const options = { method, agent, headers: { ...DEFAULT_HEADERS, ...Object.fromEntries(headers) } }
  return request(url, signal ? { ...options, signal } : options)
}

/**
 * Sends a request off and resolves with the head of its response. Its server may close a kept
 * connection just as it is used again, which a process that was busy has not heard of yet: then it
 * is sent on another one.
 */
async function exchange(
  open: () => http.ClientRequest,
  body: Uint8Array | undefined,
): Promise<Incoming> {
  for (;;) {
    const outgoing = open()
    try {
      return await responseTo(outgoing, body)
    } catch (error) {
      if (!outgoing.reusedSocket || !isReset(error)) throw error
    }
  }
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))

/** A response. Its reader tells `take` how many bytes it got, inflated if they are. */
export interface Incoming {
  readonly response: http.IncomingMessage
  readonly take: (bytes: number) => void
}

/** What a server may send before its response is there: a full head, and interim answers. */
const HEAD_BYTES = 2 ** 15
/** What it may send beyond twice what the reader got. Half of it may be waiting to be read. */
const EXCESS_BYTES = 2 ** 18

/** An error with a code, as Node's own have. */
const coded = (code: string, text: string): Error => Object.assign(new Error(text), { code })

/**
 * Sends a request off and resolves with the head of its response. The connection ends when its
 * server sends much that nobody gets: interim answers without end, chunks of one byte, gzip of
 * nothing, anything that was not asked for. That costs this process some milliseconds.
 */
export function responseTo(
  outgoing: http.ClientRequest,
  body?: Uint8Array | string,
): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    let left = HEAD_BYTES
    let stream: http.ClientRequest | http.IncomingMessage = outgoing
    const count = ({ length }: Buffer): void => {
      left -= length
      if (left < 0) stream.destroy(coded('HPE_EXCESS', 'it sends far more than there is to read'))
    }
    const take = (bytes: number): void => {
      left += 2 * bytes
    }
    outgoing.once('socket', (socket) => {
      socket.off('data', destroy).on('data', count)
      outgoing.once('close', () => socket.off('data', count).on('data', destroy))
    })
    outgoing.once('response', (response) => {
      left = EXCESS_BYTES
      stream = response
      resolve({ response, take })
    })
    // Stays, also for what fails after the head.
    outgoing.on('error', reject)
    outgoing.on('close', () => reject(coded('ECONNRESET', 'the connection was closed')))
    outgoing.end(body)
  })
}

/** Of a connection that is kept: nothing was asked. */
function destroy(this: Socket): void {
  this.destroy()
}

const isRedirect = ({ statusCode = 0 }: http.IncomingMessage): boolean =>
  [301, 302, 303, 307, 308].includes(statusCode)

/** @throws RangeError for a status that fetch does not know; Error for an unknown encoding. */
function webResponse(incoming: Incoming, signal: AbortSignal | undefined): Response {
  const { response } = incoming
  const { statusCode: status = 0, headersDistinct } = response
  const headers = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [
    name,
    values.join(', '),
  ])
  const hasBody = ![204, 205, 304].includes(status)
  if (!hasBody) response.destroy()
  return new Response(hasBody ? webBody(incoming, signal) : null, { status, headers })
}

/** The inflated body, as it is read. */
function webBody(
  { response, take }: Incoming,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const inflated = inflate(response)
  // To fail before anyone reads is no unhandled error: the reader will see it.
  inflated.on('error', () => {})
  const chunks = inflated[Symbol.asyncIterator]()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await chunks.next().catch((error) => {
      throw signal?.aborted ? signal.reason : error
    })
    if (done) return controller.close()
    take(value.length)
    controller.enqueue(value)
  }
  const cancel = (): void => {
    // A connection whose response is here to its end can be used again.
    if (inflated === response && response.complete) return void response.resume()
    inflated.destroy()
    response.destroy()
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}

function inflate(response: http.IncomingMessage): Readable {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return response
  const inflater = inflaterOf(encoding.toLowerCase())
  // What follows the end of what was packed is not read.
  inflater.once('end', () => response.destroy())
  // As a stream it would be written to zlib in the chunks in which it was sent, which may be bytes.
  return pipeline(response[Symbol.asyncIterator](), inflater, () => {})
}

function inflaterOf(encoding: string) {
  if (encoding === 'br') return createBrotliDecompress()
  if (['gzip', 'x-gzip', 'deflate'].includes(encoding)) return createUnzip()
  throw new Error('"content-encoding" expected gzip, deflate or br')
}
