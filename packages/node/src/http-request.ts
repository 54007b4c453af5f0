import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'

/** Per host. */
const MAX_SOCKETS = 64

/** Options for the reuse of connections, and the time to connect to each address. */
export const AGENT_OPTIONS: https.AgentOptions = {
  keepAlive: true,
  // Many servers close an idle connection after five seconds.
  timeout: 4000,
  maxSockets: MAX_SOCKETS,
  maxFreeSockets: 8,
  // Node's default of 250 ms is less than many handshakes take.
  autoSelectFamilyAttemptTimeout: 5000,
}

/** Agents by protocol. A protocol without an agent is refused. */
export interface Agents {
  readonly 'http:'?: http.Agent
  readonly 'https:': https.Agent
}

/** Returns agents with at most `maxSockets` connections to each host. */
export function createAgents(maxSockets: number = MAX_SOCKETS): Required<Agents> {
  const options = { ...AGENT_OPTIONS, maxSockets }
  return { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
}

/** A response. Its reader calls `take` with the number of bytes that it reads, after decoding. */
export interface IncomingResponse {
  readonly response: http.IncomingMessage
  readonly take: (bytes: number) => void
}

interface SendOptions extends http.RequestOptions {
  readonly body?: Uint8Array | string | undefined
  /** Called with the request of each attempt to send it. */
  readonly onOpen?: (outgoing: http.ClientRequest) => void
}

/**
 * Sends a request and resolves with the head of its response. A server may close an idle connection
 * just as it is reused. So if a reused connection closed before the first byte of the response, the
 * request is sent again immediately, on another connection.
 * @throws TypeError, as a rejection, if `agents` has no agent for the protocol of `url`.
 */
export async function sendRequest(
  url: string,
  { body, onOpen, ...options }: SendOptions,
  agents: Agents,
): Promise<IncomingResponse> {
  const { protocol } = new URL(url)
  const agent = protocol === 'http:' || protocol === 'https:' ? agents[protocol] : undefined
  if (agent === undefined) {
    const protocols = Object.keys(agents).join(' or ').replaceAll(':', '')
    throw new TypeError(`"url" expected ${protocols}, got ${protocol}`)
  }
  for (;;) {
    const outgoing = http.request(url, { ...options, agent }) // the agent determines TLS
    onOpen?.(outgoing)
    const received = { bytes: 0 }
    try {
      return await receiveResponse(outgoing, received, body)
    } catch (error) {
      const isStale = outgoing.reusedSocket && received.bytes === 0
      if (!isStale || !isReset(error)) throw error
    }
  }
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))

/** Maximum bytes up to the end of the head: interim answers and the head itself. */
const HEAD_BYTES = 2 ** 15
/** Maximum received bytes in addition to twice the bytes reported to `take`. */
const EXCESS_BYTES = 2 ** 18

const createCodedError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code })

/**
 * Sends a request and resolves with the head of its response. Ends the connection if the server
 * sends far more than is read: endless interim answers, chunks of one byte, gzip without content,
 * or bytes that were not requested.
 */
function receiveResponse(
  outgoing: http.ClientRequest,
  received: { bytes: number },
  body?: Uint8Array | string,
): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    let allowed = HEAD_BYTES
    let stream: http.ClientRequest | http.IncomingMessage = outgoing
    const count = ({ length }: Buffer): void => {
      received.bytes += length
      if (received.bytes > allowed)
        stream.destroy(createCodedError('HPE_EXCESS', 'the server sends far more than is read'))
    }
    const take = (bytes: number): void => {
      allowed += 2 * bytes
    }
    outgoing.once('socket', (socket) => {
      socket.off('data', destroy).on('data', count)
      outgoing.once('close', () => socket.off('data', count).on('data', destroy))
    })
    const lose = () => reject(createCodedError('ECONNRESET', 'the connection was closed'))
    outgoing.once('response', (response) => {
      outgoing.off('close', lose)
      allowed = received.bytes + EXCESS_BYTES
      stream = response
      resolve({ response, take })
    })
    // The connection may also fail after the head.
    outgoing.on('error', reject)
    outgoing.once('close', lose)
    outgoing.end(body)
  })
}

/** Ends an idle connection on which unrequested data arrives. */
function destroy(this: Socket): void {
  this.destroy()
}
