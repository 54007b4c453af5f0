import { setMaxListeners } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { type Incoming, responseTo } from '@affine/blocks/node-fetch'
import { type Caller, NoReply, type Query, type Received, Undelivered } from '../asking.ts'

const MOST_BYTES = 256 * 1024
/**
 * All that a server is told about who asks. Nothing is unpacked here, and nothing packed is asked
 * for.
 */
const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'affine',
}

/**
 * Sends a request and resolves with the response, whatever its status. No redirect is followed, and
 * at most 256 KiB are read, or `mostBytes`. `replyMs` is the time to connect and send, and then,
 * once more, the time for the whole response. Rejects with `Undelivered` when the connection fails
 * or breaks; with another error when the response is late, too large or no HTTP; and once `signal`
 * aborts. But what has a status other than 200 resolves with it and with what came of its body,
 * whatever that does. Protocol §5.4.
 */
export async function exchange(query: Query): Promise<Received> {
  const { body, replyMs, mostBytes = MOST_BYTES, now } = query
  const outgoing = openRequest(query)
  const started = now()
  const took = (): number => Math.max(0, now() - started)
  let stream: { destroy(error: Error): unknown } = outgoing
  const late = () => latenessOf(outgoing, `within ${replyMs / 1000} s`)
  const timer = setTimeout(() => stream.destroy(late()), replyMs)
  outgoing.once('finish', () => timer.refresh())
  let response: http.IncomingMessage | undefined
  const chunks: Buffer[] = []
  try {
    const incoming = await responseTo(outgoing, body)
    stream = response = incoming.response
    await readInto(chunks, incoming, mostBytes)
  } catch (error) {
    // What has another status is refused, whatever its body does.
    if (response === undefined || response.statusCode === 200) {
      const left = Math.ceil(took() / 100) / 10
      if (query.signal.aborted) throw latenessOf(outgoing, `in the ${left} s that were left`)
      throw reasonOf(error as NodeJS.ErrnoException, response !== undefined)
    }
  } finally {
    clearTimeout(timer)
  }
  const { statusCode: status = 0, headers } = response
  const text = Buffer.concat(chunks).toString()
  return { status, headers, text, ms: took() }
}

function openRequest({ url, headers, body, signal }: Query): http.ClientRequest {
  const { request } = url.startsWith('https:') ? https : http
  setMaxListeners(0, signal) // every call that waits listens: any number is no leak
  const method = body === undefined ? 'GET' : 'POST'
  return request(url, { method, headers: { ...HEADERS, ...headers }, signal })
}

/** What a request fails with when its time is over: the miner's own once all of it was sent. */
function latenessOf({ writableFinished, method }: http.ClientRequest, when: string): Error {
  if (!writableFinished) return new Undelivered('no connection')
  const advice = method === 'POST' ? ': serve the model faster, or let it write less' : ''
  return new NoReply('late', `late: no reply ${when}${advice}`)
}

async function readInto(
  chunks: Buffer[],
  { response, take }: Incoming,
  mostBytes: number,
): Promise<void> {
  let size = 0
  for await (const chunk of response) {
    take(chunk.length)
    size += chunk.length
    if (size > mostBytes)
      throw new NoReply('too-large', `the response has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
}

/**
 * A connection's failures have a code, and are the platform's. HPE_: what came is not HTTP, or has
 * too large a head.
 */
function reasonOf(error: NodeJS.ErrnoException, began: boolean): Error {
  if (error.code?.startsWith('HPE_'))
    return new NoReply('not-http', `expected HTTP, got another protocol (${error.message})`)
  if (error.code === undefined) return error
  return new Undelivered(connectionFault(error, began))
}

/** The system's error codes for a connection, in words. */
const SENTENCES = new Map([
  ['ENOTFOUND', 'no host has that name: check the spelling'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up now'],
  ['ECONNREFUSED', 'nothing listens there: is it running?'],
  ['EHOSTUNREACH', 'no network leads to that host'],
  ['ENETUNREACH', 'no network leads to that host'],
  ['ETIMEDOUT', 'no connection'],
])

/** Why a connection failed, for people; `began` tells whether a response had begun. */
function connectionFault({ code = '', message }: NodeJS.ErrnoException, began: boolean): string {
  if (code === 'EPROTO' && message.includes('wrong version number'))
    return 'no TLS is spoken there: is it at http:// instead?'
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return `it closed the connection ${began ? 'in the middle of' : 'before'} its reply`
  return SENTENCES.get(code) ?? message
}

/** Since 1970, but even while the machine's clock is set: it is for how long things take. */
const now = (): number => Math.round(performance.timeOrigin + performance.now())

/** Node's own network, clock and randomness. */
export const NODE_CALLER: Caller = { exchange, now, random: Math.random }
