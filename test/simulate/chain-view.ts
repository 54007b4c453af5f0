import {
  type Account,
  type Chain,
  ChainError,
  type Head,
  type LocalChain,
} from '../../packages/chain/src/index.ts'
import type { Machine } from './machine.ts'
import type { Troubles } from './network.ts'

const CALL_MS = 300
const LATE_MS = 36_000

/** The chain as seen by one validator through its node. */
export class ChainView implements Chain {
  readonly genesis: string
  readonly netuid: number
  /** The last head that the node has announced. */
  seen = 0
  readonly #chain: LocalChain
  readonly #who: number
  readonly #machine: Machine
  readonly #troubles: Troubles

  constructor(
    chain: LocalChain,
    who: number,
    { machine, troubles }: { readonly machine: Machine; readonly troubles: Troubles },
  ) {
    this.genesis = chain.genesis
    this.netuid = chain.netuid
    this.#chain = chain
    this.#who = who
    this.#machine = machine
    this.#troubles = troubles
  }

  head(): Promise<Head> {
    return this.#read(async () => {
      const number = this.seen
      return { number, hash: await this.#chain.blockHash(number) }
    })
  }

  blockHash(number: number): Promise<string> {
    return this.#at(number, () => this.#chain.blockHash(number))
  }

  time(block: number): Promise<number> {
    return this.#at(block, () => this.#chain.time(block))
  }

  snapshot(block: number): ReturnType<Chain['snapshot']> {
    return this.#at(block, () => this.#chain.snapshot(block))
  }

  weights(block: number): ReturnType<Chain['weights']> {
    return this.#at(block, () => this.#chain.weights(block))
  }

  commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head> {
    return this.#call(() => this.#chain.commit(account, fields, until))
  }

  setWeights(...call: Parameters<Chain['setWeights']>): Promise<Head> {
    return this.#call(() => this.#chain.setWeights(...call))
  }

  // biome-ignore lint/correctness/useYield: heads are handed to validators one by one
  async *heads(): AsyncGenerator<Head> {
    throw new Error('heads are not available in simulations')
  }

  #read<T>(act: () => Promise<T>): Promise<T> {
    return this.#machine.perform({ place: 'chain', ms: this.#machine.jitter(CALL_MS), act })
  }

  #at<T>(block: number, act: () => Promise<T>): Promise<T> {
    return this.#read(() => {
      if (block <= this.seen) return act()
      throw new ChainError('UnknownBlock', `no block ${block}, the head is ${this.seen}`)
    })
  }

  #call(act: () => Promise<Head>): Promise<Head> {
    const is = (how: 'refuses' | 'mute' | 'late'): boolean =>
      this.#troubles.has(this.#who, 'node', how)
    const lost = new ChainError('Unreachable', 'no answer')
    const isMute = is('mute')
    const isRefused = is('refuses')
    const ms = (is('late') ? LATE_MS : 0) + this.#machine.jitter(CALL_MS)
    return this.#machine.perform({
      place: 'chain',
      ms,
      act: () => {
        if (isRefused) throw lost
        if (!isMute) return act()
        act().catch(() => undefined)
        throw lost
      },
    })
  }
}
