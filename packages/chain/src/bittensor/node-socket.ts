import ws from 'ws'
import { ChainError } from '../chain-error.ts'
import { asciiLine } from './ascii-line.ts'
import { checkMetadata } from './metadata.ts'
import { MAX_MESSAGE, type NodeMessage, readMessage, refusalOf } from './node-message.ts'

/** A fragment keeps what came with it, up to 64 KiB. Nodes send their messages whole. */
const MAX_FRAGMENTS = 64
/** Of pings and pongs since the last message: one a second has a tenth of it in two hours. */
const MAX_PING_BYTES = 2 ** 20
/** What a ping has beside its data. */
const PING_HEAD_BYTES = 2

/**
 * In Node not its own one, which does not say why there is no connection, and has no limit. No
 * compression is offered: a few bytes would unpack to any number.
 */
function openSocket(url: string): WebSocket {
  if (!('process' in globalThis)) return new WebSocket(url)
  const limits = { maxPayload: MAX_MESSAGE, maxFragments: MAX_FRAGMENTS }
  const socket = new ws(url, { perMessageDeflate: false, ...limits })
  limitPings(socket)
  return socket as unknown as WebSocket
}

/** Ends a socket on which pings and pongs come instead of a message: they have no limit there. */
function limitPings(socket: ws): void {
  let bytes = 0
  const count = ({ length }: Buffer) => {
    bytes += PING_HEAD_BYTES + length
    if (bytes <= MAX_PING_BYTES || socket.readyState !== ws.OPEN) return
    socket.emit('error', new RangeError(`over ${MAX_PING_BYTES} bytes of pings, and no message`))
    socket.terminate()
  }
  socket.on('ping', count).on('pong', count)
  socket.on('message', () => {
    bytes = 0
  })
}

const BROKE_OFF = 'the node broke off'

interface PendingRequest {
  answer(result: unknown): void
  reject(error: Error): void
}

/**
 * JSON-RPC 2.0 with one node, in place of the library's `WsProvider`: that throws where nobody can
 * catch it when a node says what it cannot read. Here this ends the connection, and whoever waits
 * is told: every promise rejects with `Unreachable`.
 */
export class NodeSocket {
  /**
   * For the library, which is given it open and is not to subscribe to anything: it would throw
   * there, too.
   */
  readonly isConnected = true
  readonly hasSubscriptions = false
  readonly #url: string
  readonly #questions = new Map<unknown, PendingRequest>()
  readonly #listeners = new Map<unknown, (news: unknown) => void>()
  #socket: WebSocket | undefined
  #ids = 0
  #ended: ChainError | undefined

  constructor(url: string) {
    this.#url = url
  }

  connect(): Promise<void> {
    return this.#wait((id) => {
      const socket = openSocket(this.#url)
      this.#socket = socket
      socket.onmessage = ({ data }) => this.#hear(String(data))
      socket.onclose = () => this.close(BROKE_OFF)
      socket.onerror = (event) => this.close(wordsOf(event) || 'no connection')
      socket.onopen = () => {
        socket.onerror = (event) => this.close(`${BROKE_OFF}: ${wordsOf(event)}`)
        this.#questions.get(id)?.answer(undefined)
      }
    })
  }

  /**
   * Rejects with the node's code, message and data when it refuses, and for metadata that is too
   * large.
   */
  async send<T>(method: string, params: unknown[]): Promise<T> {
    const answer = await this.#wait<T>((id) => this.#ask(id, method, params))
    checkMetadata(method, params, answer)
    return answer
  }

  /** Subscribes, and listens until `hear` is content with the news. */
  async follow(
    method: string,
    hear: (news: unknown) => boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    let subscription: unknown
    // The first news may come with the answer: the listener must be there at once.
    const listen = (result: unknown, resolve: () => void) => {
      subscription = result
      this.#listeners.set(result, (news) => {
        if (hear(news)) resolve()
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

  close(reason = 'the connection was closed here'): void {
    if (this.#ended) return
    this.#ended = new ChainError('Unreachable', reason)
    for (const { reject } of this.#questions.values()) reject(this.#ended)
    if (!this.#socket) return
    this.#socket.onmessage = null // it may go on talking while it is asked to end
    this.#socket.close()
  }

  /** Waits for what `onAnswer` makes of the answer to what `start` asks under an id. */
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
      this.#questions.set(id, { answer: (result) => onAnswer(result, resolve), reject })
      signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal })
      start(id)
    }).finally(() => {
      over.abort()
      this.#questions.delete(id)
    })
  }

  #ask(id: number, method: string, params: unknown[]): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  #hear(text: string): void {
    try {
      this.#take(readMessage(text))
    } catch {
      this.close(`the node said what cannot be read: ${asciiLine(text)}`)
    }
  }

  /** News of a subscription, a refusal, or an answer. */
  #take({ id, result, error, params }: NodeMessage): void {
    if (params) {
      this.#listeners.get(params.subscription)?.(params.result)
      return
    }
    const question = this.#questions.get(id)
    if (error) question?.reject(refusalOf(error))
    else question?.answer(result)
  }
}

const wordsOf = (event: Event): string => asciiLine((event as ErrorEvent).message ?? '')
