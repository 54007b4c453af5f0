import * as z from 'zod'
import { ChainError, type Head } from './chain.ts'
import type { Connection } from './connection.ts'

const headerShape = z.object({ number: z.string().regex(/^0x[0-9a-f]{1,8}$/) })

/** The final blocks of a chain, by number. */
export class FinalBlocks {
  readonly #connection: Connection
  /** The highest one known. */
  #final = -1

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async *heads(
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<Head, void, undefined> {
    if (signal.aborted) return
    for (let { number } = await this.head(); ; number++) {
      await this.reach(number, signal).catch((error) => signal.aborted || Promise.reject(error))
      if (signal.aborted) return
      yield { number, hash: await this.blockHash(number) }
    }
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
    const isNatural = Number.isSafeInteger(number) && number >= 0
    if (!isNatural || (number > this.#final && number > (await this.head()).number))
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
}
