import { setMaxListeners } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import {
  createAgents,
  decodeBody,
  describeConnectionFailure,
  type IncomingResponse,
  isDecodingError,
  sendRequest,
} from '@affine/node/http'
import { type Caller, DeliveryError, type HttpResponse, MinerError, type Query } from '../asking.ts'

const DEFAULT_MAX_BYTES = 256 * 1024
/** All that a server learns about the client. No compression is accepted. */
const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'affine',
}

/** Agents without a limit of connections: the concurrent calls to a miner are limited instead. */
const AGENTS = createAgents(Number.POSITIVE_INFINITY)

/**
 * Sends a request, as `Exchange` documents, and follows no redirect. `replyMs` is the time limit
 * for connecting and sending, and then again for the whole response; both end if `signal` aborts.
 * Rejects with `DeliveryError` if the connection fails, breaks or takes too long, and with another
 * error if the response is late, over `maxBytes`, malformed or not HTTP. A response with a status
 * other than 200 resolves with the part of its body that arrived. Protocol §5.4.
 */
export async function exchange(query: Query): Promise<HttpResponse> {
  const { url, body, replyMs, maxBytes = DEFAULT_MAX_BYTES, signal, now } = query
  const started = now()
  const took = (): number => Math.max(0, now() - started)
  let outgoing: ClientRequest | undefined
  let response: IncomingMessage | undefined
  const late = () => createLateError(outgoing, `within ${replyMs / 1000} s`)
  const timer = setTimeout(() => (response ?? outgoing)?.destroy(late()), replyMs)
  const onOpen = (request: ClientRequest): void => {
    outgoing = request.once('finish', () => timer.refresh())
  }
  setMaxListeners(0, signal) // each waiting call adds a listener: they are not a leak
  const method = body === undefined ? 'GET' : 'POST'
  const headers = { ...HEADERS, ...query.headers }
  const chunks: Uint8Array[] = []
  try {
    const incoming = await sendRequest(url, { method, headers, body, signal, onOpen }, AGENTS)
    response = incoming.response
    await readInto(chunks, incoming, maxBytes)
  } catch (error) {
    // A response with a status other than 200 is a refusal, even if reading its body fails.
    if (response === undefined || response.statusCode === 200) {
      const seconds = Math.ceil(took() / 100) / 10
      if (signal.aborted) throw createLateError(outgoing, `in the remaining ${seconds} s`)
      throw classifyError(error as NodeJS.ErrnoException)
    }
  } finally {
    clearTimeout(timer)
  }
  const text = Buffer.concat(chunks).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, text, ms: took() }
}

/**
 * Returns the error of a request whose time is over. The miner is at fault once the request was
 * sent.
 */
function createLateError(outgoing: ClientRequest | undefined, when: string): Error {
  if (!outgoing?.writableFinished) return new DeliveryError('no connection')
  const advice = outgoing.method === 'POST' ? ': serve the model faster, or limit its output' : ''
  return new MinerError('late', `late: no reply ${when}${advice}`)
}

async function readInto(
  chunks: Uint8Array[],
  { response, take }: IncomingResponse,
  maxBytes: number,
): Promise<void> {
  let size = 0
  for await (const chunk of decodeBody(response)) {
    take(chunk.length)
    size += chunk.length
    if (size > maxBytes)
      throw new MinerError('too-large', `the response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
}

/**
 * Returns the error to reject with. Failures of a connection have a code and are the platform's.
 * A code HPE_… means that the response is not HTTP, or exceeds a limit of its head.
 */
function classifyError(error: NodeJS.ErrnoException): Error {
  if (error instanceof MinerError || error.code === undefined) return error
  if (error.code.startsWith('HPE_') || isDecodingError(error)) {
    const flaws = 'is not HTTP, exceeds a size limit, or is wrongly compressed'
    return new MinerError('not-http', `the response ${flaws} (${error.message})`)
  }
  const isReset = error.code === 'ECONNRESET' || error.code === 'EPIPE'
  const closed = 'the server closed the connection before the end of its reply'
  return new DeliveryError(isReset ? closed : describeConnectionFailure(error))
}

/**
 * Returns milliseconds since 1970, for measuring durations, unaffected by adjustments of the clock.
 */
const now = (): number => Math.round(performance.timeOrigin + performance.now())

/** Node's network and clock. */
export const NODE_CALLER: Caller = { exchange, now }
