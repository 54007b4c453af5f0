import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'

/** Maximum connections to one host. */
const MAX_SOCKETS = 64

/** How connections to a host are kept, and how long each of its addresses may take to connect. */
export const KEPT: https.AgentOptions = {
  keepAlive: true,
  // Less than the five seconds after which many servers close an idle connection.
  timeout: 4000,
  maxSockets: MAX_SOCKETS,
  maxFreeSockets: 8,
  // Node's default of 250 ms is less than many handshakes take.
  autoSelectFamilyAttemptTimeout: 5000,
}

/** Returns agents that keep connections, with `maxSockets` connections for each host. */
export function keptAgents(maxSockets: number = MAX_SOCKETS): {
  readonly 'http:': http.Agent
  readonly 'https:': https.Agent
} {
  const options = { ...KEPT, maxSockets }
  return { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
}

/** A response whose reader reports to `take` how many bytes it received, after decoding. */
export interface Incoming {
  readonly response: http.IncomingMessage
  readonly take: (bytes: number) => void
}

/**
 * Sends a request and resolves with the head of its response. A server may close a kept connection
 * just as it is used again. So a request on a reused connection that closed before the first byte
 * of a response is sent again immediately, on another connection.
 * @param open Opens the request, once for each attempt.
 */
export async function sendRequest(
  open: () => http.ClientRequest,
  body?: Uint8Array | string,
): Promise<Incoming> {
  for (;;) {
    const outgoing = open()
    const received = { bytes: 0 }
    try {
      return await responseTo(outgoing, received, body)
    } catch (error) {
      const isStale = outgoing.reusedSocket && received.bytes === 0
      if (!isStale || !isReset(error)) throw error
    }
  }
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))

/** Maximum bytes before the response: a full head, and interim answers. */
const HEAD_BYTES = 2 ** 15
/** Maximum bytes beyond twice what the reader took. Half of them may be waiting to be read. */
const EXCESS_BYTES = 2 ** 18

const withCode = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code })

/**
 * Sends a request and resolves with the head of its response. The connection ends if the server
 * sends much that no one reads: interim answers without end, chunks of one byte, gzip of nothing,
 * or bytes that were not requested. That costs this process some milliseconds.
 */
function responseTo(
  outgoing: http.ClientRequest,
  received: { bytes: number },
  body?: Uint8Array | string,
): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    let allowed = HEAD_BYTES
    let stream: http.ClientRequest | http.IncomingMessage = outgoing
    const count = ({ length }: Buffer): void => {
      received.bytes += length
      if (received.bytes > allowed)
        stream.destroy(withCode('HPE_EXCESS', 'the server sends far more than is read'))
    }
    const take = (bytes: number): void => {
      allowed += 2 * bytes
    }
    outgoing.once('socket', (socket) => {
      socket.off('data', destroy).on('data', count)
      outgoing.once('close', () => socket.off('data', count).on('data', destroy))
    })
    outgoing.once('response', (response) => {
      allowed = received.bytes + EXCESS_BYTES
      stream = response
      resolve({ response, take })
    })
    // Stays: the connection may also fail after the head.
    outgoing.on('error', reject)
    outgoing.on('close', () => reject(withCode('ECONNRESET', 'the connection was closed')))
    outgoing.end(body)
  })
}

/** Ends an idle connection on which data arrives that was not requested. */
function destroy(this: Socket): void {
  this.destroy()
}
