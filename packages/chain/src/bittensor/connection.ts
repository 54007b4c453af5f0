import { ApiPromise } from '@polkadot/api'
import { rpcDefinitions } from '@polkadot/types'
import pRetry from 'p-retry'
import * as z from 'zod'
import { ChainError } from '../chain-error.ts'
import { asciiLine } from './ascii-line.ts'
import { NodeSocket } from './node-socket.ts'
import type { Nodes } from './nodes.ts'

/**
 * What is asked of a node. Any error but a ChainError is the node's, for an answer that cannot be
 * used.
 */
export type Task<T> = (api: ApiPromise, socket: NodeSocket) => Promise<T>

type Node = { readonly socket: NodeSocket; readonly api: Promise<ApiPromise> }

/** How often each node is tried. */
const ROUNDS = 3

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
    const { endpoints, onRetry } = this.#nodes
    let signal = this.#closing.signal
    let retries = ROUNDS * endpoints.length - 1
    if (until) {
      signal = AbortSignal.any([signal, until])
      retries = Number.POSITIVE_INFINITY
    }
    return pRetry(() => this.#attempt(task, signal), {
      retries,
      signal,
      minTimeout: 200,
      maxTimeout: 15_000,
      randomize: true,
      shouldRetry: ({ error }) => isElsewhere(error),
      onFailedAttempt: ({ error, retriesLeft }) => {
        if (isElsewhere(error) && retriesLeft > 0) onRetry?.(error)
      },
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new ChainError('Unreachable', 'the connection was closed here'))
    this.#drop(this.#node)
  }

  async #attempt<T>(task: Task<T>, signal: AbortSignal): Promise<T> {
    this.#node ??= this.#connect(this.#nextEndpoint())
    const node = this.#node
    try {
      const api = await node.api
      return await this.#answered(task(api, node.socket))
    } catch (error) {
      const mayOtherHelp = !(error instanceof ChainError) || isElsewhere(error)
      if (signal.aborted || !mayOtherHelp) throw error
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
    const socket = new NodeSocket(url)
    const api = this.#start(socket, url).catch((error: Error) => {
      this.#drop(node)
      if (error instanceof ChainError && error.code === 'WrongGenesis') throw error
      const said = asciiLine(error.message.replace('Unreachable: ', ''))
      throw new ChainError('Unreachable', `no node answers at ${url}: ${said}`, { cause: error })
    })
    const node = { socket, api }
    return node
  }

  async #start(socket: NodeSocket, url: string): Promise<ApiPromise> {
    await this.#answered(socket.connect())
    await this.#checkGenesis(socket, url)
    const provider = socket as never // it has what is used of one
    const api = await this.#answered(
      ApiPromise.create({ provider, noInitWarn: true, throwOnConnect: true }),
    )
    readAddressesAsWallets(api)
    endWithRuntime(socket, api)
    return api
  }

  async #checkGenesis(socket: NodeSocket, url: string): Promise<void> {
    const answer = await this.#answered(socket.send('chain_getBlockHash', [0]))
    const genesis = /^0x([0-9a-f]{64})$/.exec(String(answer))?.[1]
    if (genesis === undefined) throw new Error('it does not know block 0')
    this.genesis ??= genesis
    if (genesis === this.genesis) return
    const detail = `${url} has the chain ${genesis}, expected ${this.genesis}`
    throw new ChainError('WrongGenesis', detail)
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

/** Addresses are read with the prefix that wallets show, whatever the node's settings say. */
function readAddressesAsWallets({ registry }: ApiPromise): void {
  const properties: unknown = registry.createTypeUnsafe('ChainProperties', [{ ss58Format: 42 }])
  registry.setChainProperties(properties as Parameters<typeof registry.setChainProperties>[0])
}

const runtimeShape = z.object({ specVersion: z.int() })

/** Closes the socket at the runtime's next upgrade, until which holds what was read of it. */
function endWithRuntime(socket: NodeSocket, { runtimeVersion }: ApiPromise): void {
  const version = runtimeVersion.specVersion.toNumber()
  const isOther = (news: unknown) => runtimeShape.parse(news).specVersion !== version
  const end = () => socket.close('its runtime is upgraded')
  socket.follow('state_subscribeRuntimeVersion', isOther).then(end, end)
}

const isElsewhere = (error: unknown): error is ChainError =>
  error instanceof ChainError && ELSEWHERE.has(error.code)

/** What a node did wrong; `BadReply` for what has no code yet. */
function nodeError(error: Error): ChainError {
  if (error instanceof ChainError) return error
  const detail = `what the node answers cannot be used: ${asciiLine(error.message)}`
  return new ChainError('BadReply', detail, { cause: error })
}
