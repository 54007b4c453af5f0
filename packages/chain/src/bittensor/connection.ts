import { ApiPromise } from '@polkadot/api'
import { rpcDefinitions } from '@polkadot/types'
import pRetry from 'p-retry'
import * as z from 'zod/mini'
import { ChainError } from '../chain-error.ts'
import { asciiLine } from './node-message.ts'
import { inTime, NodeSocket } from './node-socket.ts'
import type { Nodes } from './nodes.ts'

/**
 * What to do with a node. Any error but a ChainError means that the node's answer cannot be used.
 */
export type Task<T> = (api: ApiPromise, socket: NodeSocket) => Promise<T>

type Node = { readonly socket: NodeSocket; readonly api: Promise<ApiPromise> }

/** How often each node is tried. */
const ROUNDS = 3

/** The default of `stallMs`: the time of five blocks. */
const STALL_MS = 60_000
/** It has to answer a request within this part of that. Bittensor's metadata has 0.7 MB. */
const ANSWER_PART = 3

/** Codes of errors that another node may not have. */
const OF_ONE_NODE = new Set(['Unreachable', 'BadReply', 'StateDiscarded'])

/**
 * Nodes of one chain, of which one is connected at a time. A node is replaced by the next in the
 * list if it cannot be reached, closes the connection, is silent for `stallMs` or does not answer a
 * request within a third of that, no longer has the state that is asked for, or gives an answer
 * that cannot be used.
 */
export class Connection {
  readonly #nodes: Nodes
  readonly #stallMs: number
  readonly #closing = new AbortController()
  #turn = 0
  #node: Node | undefined
  /** The hash of block 0 that was given, or else that of the first node that answered. */
  genesis: string | undefined

  constructor(nodes: Nodes) {
    // A node's refusal is thrown: the library need not print it too.
    for (const calls of Object.values(rpcDefinitions))
      for (const call of Object.values(calls)) call.noErrorLog = true
    this.#nodes = nodes
    this.#stallMs = nodes.stallMs ?? STALL_MS
    this.genesis = nodes.genesis
  }

  /**
   * Runs a task, and runs it again on the next node if a node fails: repeating it must do no harm.
   * With a signal it goes on until the signal aborts; without one, until each node was tried three
   * times.
   * @throws ChainError, as a rejection: `Unreachable`, `BadReply`, `StateDiscarded`; `WrongGenesis`
   *   for a node of another chain; or the task's own.
   */
  async use<T>(task: Task<T>, until?: AbortSignal): Promise<T> {
    const { endpoints, onRetry } = this.#nodes
    const closing = this.#closing.signal
    const signal = until ? AbortSignal.any([closing, until]) : closing
    const retries = until ? Number.POSITIVE_INFINITY : ROUNDS * endpoints.length - 1
    return pRetry(() => this.#attempt(task, signal), {
      retries,
      signal,
      minTimeout: 200,
      maxTimeout: 15_000,
      randomize: true,
      shouldRetry: ({ error }) => isOfOneNode(error),
      onFailedAttempt: ({ error, retriesLeft }) => {
        if (isOfOneNode(error) && retriesLeft > 0) onRetry?.(error)
      },
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new ChainError('Unreachable', 'this program closed the connection'))
    this.#drop(this.#node)
  }

  async #attempt<T>(task: Task<T>, signal: AbortSignal): Promise<T> {
    this.#node ??= this.#connect(this.#nextEndpoint())
    const node = this.#node
    try {
      const api = await node.api
      return await inTime(task(api, node.socket), this.#stallMs)
    } catch (error) {
      const mayAnotherHelp = !(error instanceof ChainError) || isOfOneNode(error)
      if (signal.aborted || !mayAnotherHelp) throw error
      this.#drop(node)
      throw nodeError(error as Error)
    }
  }

  #nextEndpoint(): string {
    const { endpoints } = this.#nodes
    const endpoint = endpoints[this.#turn % endpoints.length]
    this.#turn += 1
    return endpoint ?? ''
  }

  #connect(url: string): Node {
    const socket = new NodeSocket(url, this.#stallMs / ANSWER_PART)
    const api = this.#start(socket, url).catch((error: Error) => {
      this.#drop(node)
      const isChain = error instanceof ChainError
      if (isChain && error.code === 'WrongGenesis') throw error
      const said = asciiLine(isChain ? error.detail : error.message)
      const facts = { cause: error, node: url }
      throw new ChainError('Unreachable', `no node answers at ${url}: ${said}`, facts)
    })
    const node = { socket, api }
    return node
  }

  async #start(socket: NodeSocket, url: string): Promise<ApiPromise> {
    await socket.connect()
    await this.#checkGenesis(socket, url)
    const provider = socket as never // it has what the library uses of one
    const creating = ApiPromise.create({ provider, noInitWarn: true, throwOnConnect: true })
    const api = await inTime(creating, this.#stallMs)
    useWalletPrefix(api)
    closeAtUpgrade(socket, api)
    return api
  }

  async #checkGenesis(socket: NodeSocket, url: string): Promise<void> {
    const answer = await socket.send('chain_getBlockHash', [0])
    const genesis = /^0x([0-9a-f]{64})$/.exec(String(answer))?.[1]
    if (genesis === undefined) throw new Error('it does not know block 0')
    this.genesis ??= genesis
    if (genesis === this.genesis) return
    const detail = `${url} has the chain ${genesis}, expected ${this.genesis}`
    throw new ChainError('WrongGenesis', detail)
  }

  #drop(node: Node | undefined): void {
    if (this.#node === node) this.#node = undefined
    node?.socket.close()
  }
}

/**
 * Makes the library write addresses with the prefix of wallets, 42, whatever the node's settings
 * are.
 */
function useWalletPrefix({ registry }: ApiPromise): void {
  const properties: unknown = registry.createTypeUnsafe('ChainProperties', [{ ss58Format: 42 }])
  registry.setChainProperties(properties as Parameters<typeof registry.setChainProperties>[0])
}

const runtimeShape = z.object({ specVersion: z.int() })

/**
 * Closes the socket at the runtime's next upgrade: what was read of the runtime is wrong from then
 * on.
 */
function closeAtUpgrade(socket: NodeSocket, { runtimeVersion }: ApiPromise): void {
  const version = runtimeVersion.specVersion.toNumber()
  const isOther = (news: unknown) => runtimeShape.parse(news).specVersion !== version
  const end = () => socket.close('the runtime was upgraded')
  socket.follow('state_subscribeRuntimeVersion', isOther).then(end, end)
}

const isOfOneNode = (error: unknown): error is ChainError =>
  error instanceof ChainError && OF_ONE_NODE.has(error.code)

/** A node's error as a ChainError. An error without a code becomes `BadReply`. */
function nodeError(error: Error): ChainError {
  if (error instanceof ChainError) return error
  const detail = `the node's answer cannot be used: ${asciiLine(error.message)}`
  return new ChainError('BadReply', detail, { cause: error })
}
