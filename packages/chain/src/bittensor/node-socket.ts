import ws from 'ws'
import { ChainError } from '../chain-error.ts'
import {
  checkMetadata,
  createRefusalError,
  MAX_MESSAGE,
  type NodeMessage,
  readMessage,
  toAsciiLine,
} from './node-message.ts'

/**
 * Maximum fragments of a message, each of up to 64 KiB in memory. Nodes do not fragment messages.
 */
const MAX_FRAGMENTS = 64
/**
 * Maximum bytes of pings and pongs between two messages. With a ping of 14 bytes each second, a
 * node reaches this maximum after 20 hours.
 */
const MAX_PING_BYTES = 2 ** 20
/** Maximum HTTP 1xx responses before the WebSocket opens. */
const MAX_INTERIM_ANSWERS = 8
/** Size of a ping without its data. */
const PING_HEAD_BYTES = 2
/**
 * Milliseconds to connect to one address of a node before the next address is tried. The default
 * of Node, 250, is too short for a distant node.
 */
const ATTEMPT_MS = 5000

/**
 * Opens a WebSocket. In Node it uses `ws`, because Node's WebSocket neither gives the reason of a
 * failed connection nor has limits. Compression is not offered: a short message could unpack to any
 * length. Each turn of the event loop handles one message, since thousands may arrive together.
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

const finishRequest: ws.ClientOptions['finishRequest'] = (request) => {
  let left = MAX_INTERIM_ANSWERS
  request.on('information', () => {
    left -= 1
    if (left < 0) request.destroy(new Error(`over ${MAX_INTERIM_ANSWERS} interim answers`))
  })
  request.end()
}

/** Ends a socket that receives too many pings and pongs without a message. `ws` has no limit. */
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

interface PendingRequest {
  answer(result: unknown): void
  reject(error: Error): void
}

/**
 * A connection to one node, by JSON-RPC 2.0. It replaces the `WsProvider` of @polkadot/api, which
 * throws an uncatchable error for a malformed message. Here, such a message ends the connection,
 * and every open promise rejects with `Unreachable`.
 */
export class NodeSocket {
  /**
   * Properties that @polkadot/api reads. It gets no subscriptions: a malformed notification would
   * throw an uncatchable error.
   */
  readonly isConnected = true
  readonly hasSubscriptions = false
  /** The highest final block that the node announced. -1 if it announced none. */
  finalBlock = -1
  readonly #url: string
  readonly #answerMs: number
  readonly #requests = new Map<unknown, PendingRequest>()
  readonly #listeners = new Map<unknown, (news: unknown) => void>()
  #socket: WebSocket | undefined
  #ids = 0
  #ended: ChainError | undefined

  /** `answerMs` is the maximum time to connect and for each answer, in milliseconds. */
  constructor(url: string, answerMs: number) {
    this.#url = url
    this.#answerMs = answerMs
  }

  connect(): Promise<void> {
    const opening = this.#wait<void>((id) => {
      const socket = openSocket(this.#url)
      this.#socket = socket
      socket.onmessage = ({ data }) => this.#receive(String(data))
      socket.onclose = () => this.close('the connection was lost')
      socket.onerror = (event) => this.close(describeFailure(event))
      socket.onopen = () => this.#requests.get(id)?.answer(undefined)
    })
    return withTimeout(opening, this.#answerMs)
  }

  /**
   * Sends a request and resolves with its result. Rejects with the node's code, message and data if
   * the node refuses, `Unreachable` without an answer in time, and an Error if metadata is too
   * large.
   */
  async send<T>(method: string, params: unknown[]): Promise<T> {
    const answering = this.#wait<T>((id) => this.#ask(id, method, params))
    const answer = await withTimeout(answering, this.#answerMs)
    checkMetadata(method, params, answer)
    return answer
  }

  /**
   * Subscribes. When `isEnough` returns true for a notification, resolves and unsubscribes. Rejects
   * if `signal` aborts.
   */
  async follow(
    method: string,
    isEnough: (news: unknown) => boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    let subscription: unknown
    // The first notification may arrive with the answer, so the listener is added immediately.
    const listen = (result: unknown, resolve: () => void) => {
      this.#listeners.delete(subscription) // a node may answer several times
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
    this.#socket.onmessage = null // the node may send until the socket is closed
    this.#socket.close()
  }

  /**
   * Calls `start` with a new id. `onAnswer` receives the answer to this id and resolves the
   * promise.
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
      this.close(`the node sent an unreadable message: ${toAsciiLine(text)}`)
    }
  }

  #take({ id, result, error, params }: NodeMessage): void {
    if (params) {
      this.#listeners.get(params.subscription)?.(params.result)
      return
    }
    const request = this.#requests.get(id)
    if (error) request?.reject(createRefusalError(error))
    else request?.answer(result)
  }
}

/** Settles like `answer`, or rejects with `Unreachable` after `ms` milliseconds. */
export async function withTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const silent = () =>
      reject(new ChainError('Unreachable', `the node did not answer within ${ms / 1000} s`))
    timer = setTimeout(silent, ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

function describeFailure(event: Event): string {
  const { message = 'unknown' } = event as Partial<ErrorEvent>
  return `the connection failed: ${toAsciiLine(message)}`
}
