import ws from 'ws'
import { ChainError } from '../chain-error.ts'
import {
  asciiLine,
  checkMetadata,
  MAX_MESSAGE,
  type NodeMessage,
  readMessage,
  refusalOf,
} from './node-message.ts'

/**
 * The most fragments of a message: each keeps up to 64 KiB in memory. Nodes send messages in one
 * piece.
 */
const MAX_FRAGMENTS = 64
/**
 * The most bytes of pings and pongs since the last message. One ping a second makes a tenth of it
 * in two hours.
 */
const MAX_PING_BYTES = 2 ** 20
const MAX_INTERIM_ANSWERS = 8
/** The size of a ping without its data. */
const PING_HEAD_BYTES = 2
/**
 * The time in milliseconds that one address of a node has to take a connection, before the next is
 * tried. Node's default, 250, is too short for a node that is far away.
 */
const ATTEMPT_MS = 5000

/**
 * Opens a WebSocket. In Node this is not Node's own, which does not say why a connection fails, and
 * has no limits. Compression is not offered: a few bytes could unpack to any number. Each turn of
 * the event loop takes one message, as thousands may come at once.
 */
function openSocket(url: string): WebSocket {
  if (!('process' in globalThis)) return new WebSocket(url)
  const limits = { maxPayload: MAX_MESSAGE, maxFragments: MAX_FRAGMENTS }
  const options = { perMessageDeflate: false, allowSynchronousEvents: false, finishRequest }
  const connecting = { autoSelectFamilyAttemptTimeout: ATTEMPT_MS } // `ws` passes it to net and tls
  const socket = new ws(url, { ...options, ...limits, ...connecting })
  limitPings(socket)
  return socket as unknown as WebSocket
}

/** Sends the request for a WebSocket, and ends it after a few interim answers. */
const finishRequest: ws.ClientOptions['finishRequest'] = (request) => {
  let left = MAX_INTERIM_ANSWERS
  request.on('information', () => {
    left -= 1
    if (left < 0) request.destroy(new Error(`over ${MAX_INTERIM_ANSWERS} interim answers`))
  })
  request.end()
}

/** Ends a socket that gets too many pings and pongs and no message: `ws` does not limit them. */
function limitPings(socket: ws): void {
  let bytes = 0
  const count = ({ length }: Buffer) => {
    bytes += PING_HEAD_BYTES + length
    if (bytes <= MAX_PING_BYTES || socket.readyState !== ws.OPEN) return
    socket.emit('error', new RangeError(`over ${MAX_PING_BYTES} bytes of pings without a message`))
    socket.terminate()
  }
  socket.on('ping', count).on('pong', count)
  socket.on('message', () => {
    bytes = 0
  })
}

const LOST = 'the connection was lost'

interface PendingRequest {
  answer(result: unknown): void
  reject(error: Error): void
}

/**
 * A connection to one node, by JSON-RPC 2.0. It takes the place of the library's `WsProvider`,
 * which throws an error that nobody can catch if it cannot read a node's message. Here such a
 * message ends the connection, and every open promise rejects with `Unreachable`.
 */
export class NodeSocket {
  /**
   * The library reads these. It gets an open socket. It must not subscribe to anything, since it
   * would throw there too.
   */
  readonly isConnected = true
  readonly hasSubscriptions = false
  readonly #url: string
  readonly #answerMs: number
  readonly #requests = new Map<unknown, PendingRequest>()
  readonly #listeners = new Map<unknown, (news: unknown) => void>()
  #socket: WebSocket | undefined
  #ids = 0
  #ended: ChainError | undefined

  /** The node has `answerMs` to take the connection, and for each answer. */
  constructor(url: string, answerMs: number) {
    this.#url = url
    this.#answerMs = answerMs
  }

  connect(): Promise<void> {
    const opening = this.#wait<void>((id) => {
      const socket = openSocket(this.#url)
      this.#socket = socket
      socket.onmessage = ({ data }) => this.#receive(String(data))
      socket.onclose = () => this.close(LOST)
      socket.onerror = (event) => this.close(messageOf(event) || 'no connection')
      socket.onopen = () => {
        socket.onerror = (event) => this.close(`${LOST}: ${messageOf(event)}`)
        this.#requests.get(id)?.answer(undefined)
      }
    })
    return inTime(opening, this.#answerMs)
  }

  /**
   * Sends a request and resolves with its result. Rejects with the node's code, message and data if
   * the node refuses, and for metadata that is too large.
   */
  async send<T>(method: string, params: unknown[]): Promise<T> {
    const asking = this.#wait<T>((id) => this.#ask(id, method, params))
    const answer = await inTime(asking, this.#answerMs)
    checkMetadata(method, params, answer)
    return answer
  }

  /** Subscribes. Resolves once `isEnough` is true for some news, and then unsubscribes. */
  async follow(
    method: string,
    isEnough: (news: unknown) => boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    let subscription: unknown
    // The first news may come with the answer, so the listener must be there at once.
    const listen = (result: unknown, resolve: () => void) => {
      this.#listeners.delete(subscription) // the node may answer again and again
      subscription = result
      this.#listeners.set(result, (news) => {
        if (isEnough(news)) resolve()
      })
    }
    try {
      await this.#wait<void>((id) => this.#ask(id, method, []), listen, signal)
    } finally {
      const wasSubscribed = this.#listeners.delete(subscription)
      const unsubscribe = method.replace('_subscribe', '_unsubscribe')
      if (wasSubscribed) this.send(unsubscribe, [subscription]).catch(() => undefined)
    }
  }

  close(reason = 'this program closed the connection'): void {
    if (this.#ended) return
    this.#ended = new ChainError('Unreachable', reason, { node: this.#url })
    for (const { reject } of this.#requests.values()) reject(this.#ended)
    if (!this.#socket) return
    this.#socket.onmessage = null // the node may go on sending until the socket is closed
    this.#socket.close()
  }

  /**
   * Calls `start` with a new id. `onAnswer` gets the answer to this id, and resolves the promise.
   */
  #wait<T>(
    start: (id: number) => void,
    onAnswer = (result: unknown, resolve: (value: T) => void): void => resolve(result as T),
    signal?: AbortSignal,
  ): Promise<T> {
    const id = this.#ids
    this.#ids += 1
    const over = new AbortController()
    return new Promise<T>((resolve, reject) => {
      if (this.#ended) throw this.#ended
      this.#requests.set(id, { answer: (result) => onAnswer(result, resolve), reject })
      signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal })
      start(id)
    }).finally(() => {
      over.abort()
      this.#requests.delete(id)
    })
  }

  #ask(id: number, method: string, params: unknown[]): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  #receive(text: string): void {
    try {
      this.#take(readMessage(text))
    } catch {
      this.close(`the node sent a message that cannot be read: ${asciiLine(text)}`)
    }
  }

  /** News of a subscription, a refusal, or an answer. */
  #take({ id, result, error, params }: NodeMessage): void {
    if (params) {
      this.#listeners.get(params.subscription)?.(params.result)
      return
    }
    const request = this.#requests.get(id)
    if (error) request?.reject(refusalOf(error))
    else request?.answer(result)
  }
}

/** Settles as `answer` does. Rejects with `Unreachable` if that takes longer than `ms`. */
export async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const silent = () =>
      reject(new ChainError('Unreachable', `the node was silent for ${ms / 1000} s`))
    timer = setTimeout(silent, ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** Matches OpenSSL's codes for a certificate whose issuer is not trusted. */
const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/

/** Returns the reason for an error event, and advice where it is a certificate. */
function messageOf(event: Event): string {
  const { message = '', error } = event as Partial<ErrorEvent>
  const advice = UNTRUSTED.test(Object(error).code)
    ? ": name the file of its authority's certificate in NODE_EXTRA_CA_CERTS"
    : ''
  return asciiLine(message) + advice
}
