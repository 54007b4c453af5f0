import * as z from 'zod'
import type { Head } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import type { Connection } from './connection.ts'

const headerShape = z.object({ number: z.string().regex(/^0x[0-9a-f]{1,8}$/) })

/** The final blocks of a chain, by number. Protocol §5.1. */
export class FinalBlocks {
  readonly #connection: Connection
  /** The highest one known; -1 while none is. */
  #final = -1

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async *heads(
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<Head, void, undefined> {
    if (signal.aborted) return
    let { number } = await this.head()
    while (await this.#comes(number, signal)) {
      yield { number, hash: await this.blockHash(number) }
      number += 1
    }
  }

  /** Waits for a block to be final; false when `signal` aborts first. */
  async #comes(block: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.reach(block, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return !signal.aborted
  }

  /**
   * Resolves when a block is final: waits until `signal` aborts, without one while nodes answer.
   */
  async reach(block: number, signal?: AbortSignal): Promise<void> {
    if (block <= this.#final) return
    const isThere = (news: unknown) => {
      this.#final = Math.max(this.#final, Number(headerShape.parse(news).number))
      return this.#final >= block
    }
    await this.#connection.use(
      (_, node) => node.follow('chain_subscribeFinalizedHeads', isThere, signal),
      signal,
    )
  }

  async head(): Promise<Head> {
    return this.#connection.use(async (api) => {
      const hash = await api.rpc.chain.getFinalizedHead()
      const number = (await api.rpc.chain.getHeader(hash)).number.toNumber()
      this.#final = Math.max(this.#final, number)
      return { number, hash: hash.toHex().slice(2) }
    })
  }

  async blockHash(number: number): Promise<string> {
    if (!(await this.#isFinal(number)))
      throw new ChainError(
        'UnknownBlock',
        `no block ${number}, the last final one is ${this.#final}`,
      )
    return this.#connection.use(async (api) => {
      const hash = await api.rpc.chain.getBlockHash(number)
      if (hash.isEmpty)
        throw new ChainError('Unreachable', `the node does not have block ${number} yet`)
      return hash.toHex().slice(2)
    })
  }

  /** Asks for the head only where the highest one known does not tell. */
  async #isFinal(number: number): Promise<boolean> {
    if (!Number.isSafeInteger(number) || number < 0) return false
    if (number <= this.#final) return true
    return number <= (await this.head()).number
  }
}
