import type { ApiPromise } from '@polkadot/api'
import * as z from 'zod/mini'
import type { Head } from '../chain.ts'
import { ChainError, unknownBlockError } from '../chain-error.ts'
import { Connection } from './connection.ts'
import type { NodeSocket } from './node-socket.ts'

const headerShape = z.object({ number: z.string().check(z.regex(/^0x[0-9a-f]{1,8}$/)) })

/** A connection that reads the final blocks of its chain by their numbers. Protocol §5.1. */
export class FinalBlocks extends Connection {
  /** The highest final block that any node announced. Another node may be behind. */
  #highest = -1

  async *heads(
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<Head, void, undefined> {
    let next: number | 'last' = 'last'
    try {
      while (!signal.aborted) {
        const head: Head = await this.reach(next, signal)
        if (signal.aborted) return
        yield head
        next = head.number + 1
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /**
   * Resolves with a block when it is final at a node that has it. Rejects when the signal aborts.
   * Without a signal, rejects after three attempts per node, of at most `stallMs` each.
   */
  async reach(block: number | 'last', signal?: AbortSignal): Promise<Head> {
    return this.use(async (api, node) => {
      const number = block === 'last' ? (await this.#last(api, node)).number : block
      await this.#follow(node, number, signal)
      return { number, hash: await requestHash(api, number) }
    }, signal)
  }

  async head(): Promise<Head> {
    return this.use((api, node) => this.#last(api, node))
  }

  async blockHash(number: number): Promise<string> {
    if (!Number.isSafeInteger(number) || number < 0) throw unknownBlockError(number, this.#highest)
    const wasAnnounced = number <= this.#highest
    return this.use(async (api, node) => {
      if (number > node.finalBlock) await this.#last(api, node)
      if (number <= node.finalBlock) return requestHash(api, number)
      throw wasAnnounced ? missingBlockError(number) : unknownBlockError(number, this.#highest)
    })
  }

  async #last(api: ApiPromise, node: NodeSocket): Promise<Head> {
    const hash = await api.rpc.chain.getFinalizedHead()
    const number = (await api.rpc.chain.getHeader(hash)).number.toNumber()
    this.#learn(node, number)
    return { number, hash: hash.toHex().slice(2) }
  }

  async #follow(node: NodeSocket, block: number, signal?: AbortSignal): Promise<void> {
    if (block <= node.finalBlock) return
    const isReached = (news: unknown) => {
      this.#learn(node, Number(headerShape.parse(news).number))
      return block <= node.finalBlock
    }
    await node.follow('chain_subscribeFinalizedHeads', isReached, signal)
  }

  #learn(node: NodeSocket, number: number): void {
    node.finalBlock = Math.max(number, node.finalBlock)
    this.#highest = Math.max(number, this.#highest)
  }
}

/** Returns the error for a block that another node may have. */
const missingBlockError = (number: number): ChainError =>
  new ChainError('Unreachable', `the node does not have block ${number} yet`)

async function requestHash(api: ApiPromise, number: number): Promise<string> {
  const hash = await api.rpc.chain.getBlockHash(number)
  // A node may announce a block before it can return the hash.
  if (hash.isEmpty) throw missingBlockError(number)
  return hash.toHex().slice(2)
}
