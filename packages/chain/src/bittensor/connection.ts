import { ApiPromise } from '@polkadot/api'
import { rpcDefinitions } from '@polkadot/types'
import pRetry from 'p-retry'
import * as z from 'zod/mini'
import { ChainError } from '../chain-error.ts'
import { createRetryPolicy, isNodeFailure } from '../retries.ts'
import { toAsciiLine } from './node-message.ts'
import { NodeSocket, withTimeout } from './node-socket.ts'
import type { Nodes } from './nodes.ts'

/**
 * Work that uses a node. Any error except a ChainError means that the node's answer is unusable.
 */
export type Task<T> = (api: ApiPromise, socket: NodeSocket) => Promise<T>

type Node = { readonly socket: NodeSocket; readonly api: Promise<ApiPromise> }

/** Attempts per node. */
const ROUNDS = 3

/** Default of `stallMs`: the time of five blocks. */
const STALL_MS = 60_000
/** `stallMs` divided by the time limit of one answer. */
const ANSWER_PART = 3

/**
 * Nodes of one chain, with a connection to one of them at a time. The next node in the list
 * replaces a node that is unreachable, closes the connection, does not complete a task within
 * `stallMs` or answer a request within a third of `stallMs`, lacks the requested block or its
 * state, or returns an unusable answer.
 */
export class Connection {
  readonly #nodes: Nodes
  readonly #stallMs: number
  readonly #closing = new AbortController()
  #turn = 0
  #node: Node | undefined
  /** The hash of block 0. Default: that of the first node that answers; '' before its answer. */
  genesis: string

  constructor(nodes: Nodes) {
    // The library throws a node's refusal. Without this option it would print the refusal too.
    for (const calls of Object.values(rpcDefinitions))
      for (const call of Object.values(calls)) call.noErrorLog = true
    this.#nodes = nodes
    this.#stallMs = nodes.stallMs ?? STALL_MS
    this.genesis = nodes.genesis ?? ''
  }

  /**
   * Runs a task, and again on the next node if a node fails: the task must be repeatable. Retries
   * until the signal aborts or, without a signal, until each node was tried three times.
   * @throws ChainError, as a rejection: `Unreachable`, `BadReply`, `StateDiscarded`; `WrongGenesis`
   *   for a node of another chain; or any ChainError of the task.
   */
  async use<T>(task: Task<T>, until?: AbortSignal): Promise<T> {
    const { endpoints, onRetry } = this.#nodes
    const closing = this.#closing.signal
    const signal = until ? AbortSignal.any([closing, until]) : closing
    const retries = until ? Number.POSITIVE_INFINITY : ROUNDS * endpoints.length - 1
    const policy = { ...createRetryPolicy(signal, onRetry), retries }
    return pRetry(() => this.#attempt(task, signal), policy)
  }

  async close(): Promise<void> {
    this.#closing.abort(new ChainError('Unreachable', 'this program closed the connection'))
    this.#drop(this.#node)
  }

  async #attempt<T>(task: Task<T>, signal: AbortSignal): Promise<T> {
    this.#node ??= this.#connect()
    const node = this.#node
    try {
      const api = await node.api
      return await withTimeout(task(api, node.socket), this.#stallMs)
    } catch (error) {
      const isOwn = error instanceof ChainError
      if (signal.aborted || (isOwn && !isNodeFailure(error))) throw error
      this.#drop(node)
      if (isOwn) throw error
      const detail = `the node's answer cannot be used: ${toAsciiLine((error as Error).message)}`
      throw new ChainError('BadReply', detail, { cause: error })
    }
  }

  /** Connects to the next node. */
  #connect(): Node {
    const { endpoints } = this.#nodes
    const url = endpoints[this.#turn % endpoints.length] ?? ''
    this.#turn += 1
    const socket = new NodeSocket(url, this.#stallMs / ANSWER_PART)
    const api = this.#start(socket, url).catch((error: Error) => {
      this.#drop(node)
      const isChain = error instanceof ChainError
      if (isChain && error.code === 'WrongGenesis') throw error
      const reason = toAsciiLine(isChain ? error.detail : error.message)
      const facts = { cause: error, node: url }
      throw new ChainError('Unreachable', `no node answers at ${url}: ${reason}`, facts)
    })
    const node = { socket, api }
    return node
  }

  async #start(socket: NodeSocket, url: string): Promise<ApiPromise> {
    await socket.connect()
    await this.#checkGenesis(socket, url)
    const provider = socket as never // has the methods of a provider that the library uses
    const creating = ApiPromise.create({ provider, noInitWarn: true, throwOnConnect: true })
    const api = await withTimeout(creating, this.#stallMs)
    useWalletPrefix(api)
    closeAtUpgrade(socket, api)
    return api
  }

  async #checkGenesis(socket: NodeSocket, url: string): Promise<void> {
    const answer = await socket.send('chain_getBlockHash', [0])
    const genesis = /^0x([0-9a-f]{64})$/.exec(String(answer))?.[1]
    if (genesis === undefined) throw new Error('the node does not know block 0')
    this.genesis ||= genesis
    if (genesis === this.genesis) return
    const detail = `${url} serves the chain with genesis ${genesis}, expected ${this.genesis}`
    throw new ChainError('WrongGenesis', detail)
  }

  #drop(node: Node | undefined): void {
    if (this.#node === node) this.#node = undefined
    node?.socket.close()
  }
}

/** Makes the library write addresses with prefix 42, as wallets do, regardless of the node. */
function useWalletPrefix({ registry }: ApiPromise): void {
  const properties: unknown = registry.createTypeUnsafe('ChainProperties', [{ ss58Format: 42 }])
  registry.setChainProperties(properties as Parameters<typeof registry.setChainProperties>[0])
}

const runtimeShape = z.object({ specVersion: z.int() })

/** Closes the socket at the runtime's next upgrade, since the metadata is wrong afterwards. */
function closeAtUpgrade(socket: NodeSocket, { runtimeVersion }: ApiPromise): void {
  const version = runtimeVersion.specVersion.toNumber()
  const hasChanged = (news: unknown) => runtimeShape.parse(news).specVersion !== version
  socket.follow('state_subscribeRuntimeVersion', hasChanged).then(
    () => socket.close('the runtime was upgraded'),
    () => socket.close('the node does not report upgrades of its runtime'),
  )
}
