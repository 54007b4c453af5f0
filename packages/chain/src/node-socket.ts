import ws from 'ws'
import * as z from 'zod'
import { ChainError } from './chain.ts'

/** In Node not its own one, which does not say why there is no connection. */
const Socket = ('process' in globalThis ? ws : globalThis.WebSocket) as typeof WebSocket

const anything = z.unknown().optional()
const messageShape = z.object({
  id: anything,
  result: anything,
  error: z.object({ code: z.number(), message: z.string(), data: anything }).optional(),
  params: z.object({ subscription: anything, result: anything }).optional(),
})

const BROKE_OFF = 'the node broke off'
type Question = { answer(result: unknown): void; reject(error: Error): void }

/** A stranger's words for a terminal: one line of printable ASCII, 300 characters at most. */
export const printable = (text: string): string => text.slice(0, 300).replace(/[^\x20-\x7e]+/g, '?')

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
  readonly #questions = new Map<unknown, Question>()
  readonly #listeners = new Map<unknown, (news: unknown) => void>()
  #socket: WebSocket | undefined
  #ids = 0
  #ended: ChainError | undefined

  constructor(url: string) {
    this.#url = url
  }

  connect(): Promise<void> {
    return this.#wait((id) => {
      const socket = new Socket(this.#url)
      this.#socket = socket
      socket.onmessage = ({ data }) => this.#hear(String(data))
      socket.onclose = () => this.close(BROKE_OFF)
      socket.onerror = (event) =>
        this.close(printable((event as ErrorEvent).message || 'no connection'))
      socket.onopen = () => {
        socket.onerror = () => this.close(BROKE_OFF)
        this.#questions.get(id)?.answer(undefined)
      }
    })
  }

  /** Rejects with the node's code, message and data when it refuses. */
  send<T>(method: string, params: unknown[]): Promise<T> {
    return this.#wait((id) => this.#ask(id, method, params))
  }

  /** Subscribes, and listens until `hear` is content with the news. */
  async follow(
    method: string,
    hear: (news: unknown) => boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    let subscription: unknown
    // The first news may come with the answer: the listener must be there at once.
    const subscribed = (result: unknown, resolve: () => void) => {
      subscription = result
      this.#listeners.set(result, (news) => void (hear(news) && resolve()))
    }
    await this.#wait<void>((id) => this.#ask(id, method, []), subscribed, signal).finally(() => {
      if (!this.#listeners.delete(subscription)) return
      this.send(method.replace('_subscribe', '_unsubscribe'), [subscription]).catch(() => undefined)
    })
  }

  close(reason = 'the connection was closed here'): void {
    if (this.#ended) return
    this.#ended = new ChainError('Unreachable', reason)
    for (const { reject } of this.#questions.values()) reject(this.#ended)
    this.#socket?.close()
  }

  #wait<T>(
    start: (id: number) => void,
    onAnswer = (result: unknown, resolve: (value: T) => void): void => resolve(result as T),
    signal?: AbortSignal,
  ): Promise<T> {
    const id = this.#ids++
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
      const { id, result, error, params } = messageShape.parse(JSON.parse(text))
      const data = error?.data === undefined ? '' : `: ${JSON.stringify(error.data)}`
      if (params) this.#listeners.get(params.subscription)?.(params.result)
      else if (error)
        this.#questions
          .get(id)
          ?.reject(new Error(printable(`${error.code}: ${error.message}${data}`)))
      else this.#questions.get(id)?.answer(result)
    } catch {
      this.close(`the node said what cannot be read: ${printable(text)}`)
    }
  }
}
