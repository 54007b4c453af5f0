import { setMaxListeners } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import {
  connectionReason,
  decodeBody,
  type Incoming,
  isDecodingError,
  keptAgents,
  sendRequest,
} from '@affine/node/http'
import { AskingProblem, type Caller, type Query, type Received, Undelivered } from '../asking.ts'

const DEFAULT_MAX_BYTES = 256 * 1024
/** All that a server learns about the client. No compression is offered. */
const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'affine',
}

/** A miner is called with as many connections as it has calls. */
const AGENTS = keptAgents(Number.POSITIVE_INFINITY)

/**
 * Sends a request and resolves with the response, whatever its status. No redirect is followed, and
 * at most 256 KiB are read, or `mostBytes`. `replyMs` is the time to connect and send, and then,
 * once more, the time for the whole response. Rejects with `Undelivered` if the connection fails or
 * breaks; with another error if the response is late, too large or not HTTP; and once `signal`
 * aborts. A response with a status other than 200 resolves with the part of its body that arrived.
 * Protocol §5.4.
 */
export async function exchange(query: Query): Promise<Received> {
  const { body, replyMs, mostBytes = DEFAULT_MAX_BYTES, now } = query
  const started = now()
  const took = (): number => Math.max(0, now() - started)
  let outgoing: http.ClientRequest | undefined
  let response: http.IncomingMessage | undefined
  const late = () => createLateError(outgoing, `within ${replyMs / 1000} s`)
  const timer = setTimeout(() => (response ?? outgoing)?.destroy(late()), replyMs)
  const open = (): http.ClientRequest => {
    outgoing = openRequest(query)
    return outgoing.once('finish', () => timer.refresh())
  }
  const chunks: Uint8Array[] = []
  try {
    const incoming = await sendRequest(open, body)
    response = incoming.response
    await readInto(chunks, incoming, mostBytes)
  } catch (error) {
    // Another status is a refusal, whatever its body does.
    if (response === undefined || response.statusCode === 200) {
      const seconds = Math.ceil(took() / 100) / 10
      if (query.signal.aborted)
        throw createLateError(outgoing, `in the ${seconds} s that were left`)
      throw classifyError(error as NodeJS.ErrnoException, response !== undefined)
    }
  } finally {
    clearTimeout(timer)
  }
  const { statusCode: status = 0, headers } = response
  const text = Buffer.concat(chunks).toString()
  return { status, headers, text, ms: took() }
}

function openRequest({ url, headers, body, signal }: Query): http.ClientRequest {
  const isSecure = url.startsWith('https:')
  const { request } = isSecure ? https : http
  const agent = AGENTS[isSecure ? 'https:' : 'http:']
  setMaxListeners(0, signal) // every call that waits listens: any number is no leak
  const method = body === undefined ? 'GET' : 'POST'
  return request(url, { method, agent, headers: { ...HEADERS, ...headers }, signal })
}

/** What a request fails with when its time is over: the miner's own once all of it was sent. */
function createLateError(outgoing: http.ClientRequest | undefined, when: string): Error {
  if (!outgoing?.writableFinished) return new Undelivered('no connection')
  const advice = outgoing.method === 'POST' ? ': serve the model faster, or let it write less' : ''
  return new AskingProblem('late', `late: no reply ${when}${advice}`)
}

async function readInto(
  chunks: Uint8Array[],
  { response, take }: Incoming,
  mostBytes: number,
): Promise<void> {
  let size = 0
  for await (const chunk of decodeBody(response)) {
    take(chunk.length)
    size += chunk.length
    if (size > mostBytes)
      throw new AskingProblem('too-large', `the response has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
}

/**
 * A connection's failures have a code, and are the platform's. HPE_: what came is not HTTP, or has
 * too large a head.
 */
function classifyError(error: NodeJS.ErrnoException, began: boolean): Error {
  if (error instanceof AskingProblem || error.code === undefined) return error
  if (error.code.startsWith('HPE_'))
    return new AskingProblem('not-http', `expected HTTP, got another protocol (${error.message})`)
  if (isDecodingError(error)) {
    const fault = `the body cannot be decompressed (${error.message})`
    return new AskingProblem('not-json', `${fault}: turn compression off in the server`)
  }
  return new Undelivered(describeConnectionError(error, began))
}

/** Returns the cause of a failed connection; `began` states whether a response had begun. */
function describeConnectionError(error: NodeJS.ErrnoException, began: boolean): string {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE')
    return `it closed the connection ${began ? 'in the middle of' : 'before'} its reply`
  return connectionReason(error)
}

/** Since 1970, but even while the machine's clock is set: it is for how long things take. */
const now = (): number => Math.round(performance.timeOrigin + performance.now())

/** Node's own network, clock and randomness. */
export const NODE_CALLER: Caller = { exchange, now, random: Math.random }
