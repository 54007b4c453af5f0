import { ApiPromise, WsProvider } from '@polkadot/api'
import { rpcDefinitions } from '@polkadot/types'
import pRetry from 'p-retry'
import { ChainError } from './chain.ts'

export interface Nodes {
  /** WebSocket URLs, tried in this order. */
  readonly endpoints: readonly string[]
  /** Hash of block 0, 64 hex digits. */
  readonly genesis: string | undefined
  /** How long a node may be silent. */
  readonly stallMs: number
  /** What went wrong with a node, when another one is tried. */
  readonly onRetry: (error: Error) => void
}

type ApiOptions = NonNullable<Parameters<typeof ApiPromise.create>[0]>

/**
 * Nodes of one chain, one of them connected at a time. One that cannot be reached, breaks off, or is silent for `stallMs`
 * is given up for the next in the list. What a node answers, a refusal too, is taken as it is.
 */
export class Connection {
  readonly #nodes: Nodes
  readonly #closing = new AbortController()
  #turn = 0
  #api: Promise<ApiPromise> | undefined
  /** The chain's, or the one of the first node that answered. */
  genesis: string | undefined

  constructor(nodes: Nodes) {
    // Whatever a node refuses is thrown: the library need not print it as well.
    for (const calls of Object.values(rpcDefinitions)) for (const call of Object.values(calls)) call.noErrorLog = true
    this.#nodes = nodes
    this.genesis = nodes.genesis
  }

  /**
   * Runs a task that may be repeated without harm. With a signal it goes on until that aborts, without until each node
   * was tried three times.
   * @throws ChainError `Unreachable`; `WrongGenesis` at a node of another chain; whatever the task throws on an answer.
   */
  async use<T>(task: (api: ApiPromise) => Promise<T>, until?: AbortSignal): Promise<T> {
    const { endpoints, onRetry } = this.#nodes
    const closing = this.#closing.signal
    const signal = until ? AbortSignal.any([closing, until]) : closing // each `any` leaves its trace in `closing`
    return pRetry(() => this.#attempt(task), {
      ...{ retries: until ? Number.POSITIVE_INFINITY : 3 * endpoints.length - 1, signal },
      ...{ minTimeout: 200, maxTimeout: 15_000, randomize: true },
      shouldRetry: ({ error }) => isUnreachable(error),
      onFailedAttempt: ({ error, retriesLeft }) => void (isUnreachable(error) && retriesLeft > 0 && onRetry(error)),
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new ChainError('Unreachable', 'the connection was closed here'))
    this.#drop(this.#api)
  }

  async #attempt<T>(task: (api: ApiPromise) => Promise<T>): Promise<T> {
    this.#api ??= this.#connect(this.#nodes.endpoints[this.#turn++ % this.#nodes.endpoints.length] ?? '')
    const connecting = this.#api
    let api: ApiPromise | undefined
    try {
      api = await connecting
      return await this.#answered(task(api))
    } catch (error) {
      if (api?.isConnected && !isUnreachable(error)) throw error
      this.#drop(connecting)
      if (error instanceof ChainError) throw error
      throw new ChainError('Unreachable', `the node broke off: ${(error as Error).message}`, { cause: error })
    }
  }

  async #connect(url: string): Promise<ApiPromise> {
    const provider = new WsProvider(url, false, {}, this.#nodes.stallMs)
    try {
      const failed = new Promise<never>((_, reject) => {
        provider.on('error', ({ message }: Error) => reject(new Error(message || 'no connection')))
      })
      failed.catch(() => undefined) // it rejects before anybody waits for it, where `url` is none
      await provider.connect()
      await this.#answered(Promise.race([provider.isReady, failed]))
      const answer = await this.#answered(provider.send<unknown>('chain_getBlockHash', [0]))
      const genesis = /^0x([0-9a-f]{64})$/.exec(String(answer))?.[1]
      if (genesis === undefined) throw new Error('it does not know block 0')
      this.genesis ??= genesis
      if (genesis !== this.genesis)
        throw new ChainError('WrongGenesis', `${url} has the chain ${genesis}, expected ${this.genesis}`)
      const options = { provider, noInitWarn: true, throwOnConnect: true } as ApiOptions // its optional types are loose
      const api = await this.#answered(ApiPromise.create(options))
      // Addresses read with the prefix that wallets show, whatever the node's settings say.
      const properties: unknown = api.registry.createTypeUnsafe('ChainProperties', [{ ss58Format: 42 }])
      api.registry.setChainProperties(properties as Parameters<typeof api.registry.setChainProperties>[0])
      return api
    } catch (error) {
      provider.disconnect().catch(() => undefined)
      if (error instanceof ChainError && error.code === 'WrongGenesis') throw error
      throw new ChainError('Unreachable', `no node answers at ${url}: ${(error as Error).message}`, { cause: error })
    }
  }

  /** Rejects when there is no answer in time. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    const { stallMs } = this.#nodes
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      const silent = () => reject(new ChainError('Unreachable', `the node was silent for ${stallMs / 1000} s`))
      timer = setTimeout(silent, stallMs)
    })
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }

  #drop(connecting: Promise<ApiPromise> | undefined): void {
    if (this.#api === connecting) this.#api = undefined
    connecting?.then((api) => api.disconnect()).catch(() => undefined)
  }
}

const isUnreachable = (error: unknown): error is ChainError =>
  error instanceof ChainError && error.code === 'Unreachable'
