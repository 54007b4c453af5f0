import { ApiPromise } from '@polkadot/api'
import { rpcDefinitions } from '@polkadot/types'
import pRetry from 'p-retry'
import * as z from 'zod'
import { ChainError } from './chain.ts'
import { NodeSocket, printable } from './node-socket.ts'

export interface Nodes {
  /** WebSocket URLs, tried in this order. */
  readonly endpoints: readonly string[]
  /**
   * The chain's hash of block 0, 64 hex digits; a node of another chain is refused. Without, the
   * first node's counts.
   */
  readonly genesis?: string | undefined
  /** A node that says nothing for so long is given up for the next; a minute without. */
  readonly stallMs?: number
  /** Hears what was wrong with a node when another is tried. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/**
 * What is asked of a node. Any error but a ChainError is the node's, for an answer that cannot be
 * used.
 */
export type Task<T> = (api: ApiPromise, socket: NodeSocket) => Promise<T>

type Node = { readonly socket: NodeSocket; readonly api: Promise<ApiPromise> }

/** Codes of what another node may do better. */
const ELSEWHERE = new Set(['Unreachable', 'BadReply', 'StateDiscarded'])

/**
 * Nodes of one chain, one of them connected at a time. One that cannot be reached, breaks off, is
 * silent for `stallMs`, no longer has what is asked for, or answers what cannot be used, is given
 * up for the next in the list.
 */
export class Connection {
  readonly #nodes: Nodes
  readonly #closing = new AbortController()
  #turn = 0
  #node: Node | undefined
  /** The chain's, or the one of the first node that answered. */
  genesis: string | undefined

  constructor(nodes: Nodes) {
    // Whatever a node refuses is thrown: the library need not print it as well.
    for (const calls of Object.values(rpcDefinitions))
      for (const call of Object.values(calls)) call.noErrorLog = true
    this.#nodes = nodes
    this.genesis = nodes.genesis
  }

  /**
   * Runs a task that may be repeated without harm. With a signal it goes on until that aborts,
   * without until each node was tried three times.
   * @throws ChainError `Unreachable`, `BadReply`, `StateDiscarded`; `WrongGenesis` at a node of
   *   another chain; the task's.
   */
  async use<T>(task: Task<T>, until?: AbortSignal): Promise<T> {
    const { endpoints, onRetry = () => {} } = this.#nodes
    const closing = this.#closing.signal
    const signal = until ? AbortSignal.any([closing, until]) : closing
    return pRetry(() => this.#attempt(task, signal), {
      ...{ retries: until ? Number.POSITIVE_INFINITY : 3 * endpoints.length - 1, signal },
      ...{ minTimeout: 200, maxTimeout: 15_000, randomize: true },
      shouldRetry: ({ error }) => isElsewhere(error),
      onFailedAttempt: ({ error, retriesLeft }) =>
        void (isElsewhere(error) && retriesLeft > 0 && onRetry(error)),
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new ChainError('Unreachable', 'the connection was closed here'))
    this.#drop(this.#node)
  }

  async #attempt<T>(task: Task<T>, signal: AbortSignal): Promise<T> {
    this.#node ??= this.#connect(
      this.#nodes.endpoints[this.#turn++ % this.#nodes.endpoints.length] ?? '',
    )
    const node = this.#node
    try {
      const api = await node.api
      return await this.#answered(task(api, node.socket))
    } catch (error) {
      if (signal.aborted || (error instanceof ChainError && !isElsewhere(error))) throw error
      this.#drop(node)
      if (error instanceof ChainError) throw error
      const said = printable((error as Error).message)
      throw new ChainError('BadReply', `what the node answers cannot be used: ${said}`, {
        cause: error,
      })
    }
  }

  #connect(url: string): Node {
    const socket = new NodeSocket(url)
    const api = this.#start(socket, url).catch((error: Error) => {
      this.#drop(node)
      if (error instanceof ChainError && error.code === 'WrongGenesis') throw error
      const said = printable(error.message.replace('Unreachable: ', ''))
      throw new ChainError('Unreachable', `no node answers at ${url}: ${said}`, { cause: error })
    })
    const node = { socket, api }
    return node
  }

  async #start(socket: NodeSocket, url: string): Promise<ApiPromise> {
    await this.#answered(socket.connect())
    const answer = await this.#answered(socket.send('chain_getBlockHash', [0]))
    const genesis = /^0x([0-9a-f]{64})$/.exec(String(answer))?.[1]
    if (genesis === undefined) throw new Error('it does not know block 0')
    this.genesis ??= genesis
    if (genesis !== this.genesis)
      throw new ChainError(
        'WrongGenesis',
        `${url} has the chain ${genesis}, expected ${this.genesis}`,
      )
    const provider = socket as never // it has what is used of one
    const api = await this.#answered(
      ApiPromise.create({ provider, noInitWarn: true, throwOnConnect: true }),
    )
    // Addresses read with the prefix that wallets show, whatever the node's settings say.
    const properties: unknown = api.registry.createTypeUnsafe('ChainProperties', [
      { ss58Format: 42 },
    ])
    api.registry.setChainProperties(
      properties as Parameters<typeof api.registry.setChainProperties>[0],
    )
    // What was read of the runtime holds until its next upgrade.
    const version = api.runtimeVersion.specVersion.toNumber()
    const end = () => socket.close('its runtime is upgraded')
    const isOther = (news: unknown) =>
      z.object({ specVersion: z.int() }).parse(news).specVersion !== version
    socket.follow('state_subscribeRuntimeVersion', isOther).then(end, end)
    return api
  }

  /** Rejects when there is no answer in time. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    const { stallMs = 60_000 } = this.#nodes
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      const silent = () =>
        reject(new ChainError('Unreachable', `the node was silent for ${stallMs / 1000} s`))
      timer = setTimeout(silent, stallMs)
    })
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }

  #drop(node: Node | undefined): void {
    if (this.#node === node) this.#node = undefined
    node?.socket.close()
  }
}

const isElsewhere = (error: unknown): error is ChainError =>
  error instanceof ChainError && ELSEWHERE.has(error.code)
