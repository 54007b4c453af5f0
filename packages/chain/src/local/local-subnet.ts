import { bytesToHex } from '@noble/hashes/utils.js'
import type { Account } from '../account.ts'
import type { Chain, Head, Snapshot, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import type { Extrinsic, LogCall } from './log.ts'

/** How many blocks a call may wait if its caller sets no limit, as in Substrate's clients. */
export const MORTALITY = 64

/** A block, with the signatures of its calls. */
export interface BlockView {
  readonly head: Head
  readonly time: number
  readonly calls: readonly string[]
}

/** A call that was signed and sent, and the first block that may hold it. */
export interface SentCall {
  readonly sent: Extrinsic
  readonly from: number
}

/** What a chain in this process and one at a URL have in common: how it is followed and called. */
export abstract class LocalSubnet implements Chain {
  abstract readonly genesis: string
  abstract readonly netuid: number

  /**
   * The heads of blocks from number `from` on; the newest alone if that is -1. There may be more of
   * them. It waits a while for the first one, and may then give none. With a signal, it asks a
   * server that does not answer again, until the signal aborts.
   */
  abstract headsFrom(from: number, signal?: AbortSignal): Promise<readonly Head[]>
  abstract block(number: number): Promise<BlockView>
  abstract snapshot(block: number): Promise<Snapshot>
  abstract weights(block: number): Promise<Readonly<Record<string, UidWeights>>>
  protected abstract send(account: Account, call: LogCall, until?: number): Promise<SentCall>

  async *heads(signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    const aborted = new Promise<readonly Head[]>((resolve) =>
      signal?.addEventListener('abort', () => resolve([]), { once: true }),
    )
    let from = -1
    while (!signal?.aborted) {
      for (const head of await Promise.race([this.headsFrom(from, signal), aborted])) {
        if (signal?.aborted) return
        yield head
        from = head.number + 1
      }
    }
  }

  async head(): Promise<Head> {
    const [head] = await this.headsFrom(-1)
    return head as Head
  }

  async blockHash(number: number): Promise<string> {
    return (await this.block(number)).head.hash
  }

  async time(block: number): Promise<number> {
    return (await this.block(block)).time
  }

  async commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head> {
    return this.#call(account, { fields: fields.map((field) => bytesToHex(field)) }, until)
  }

  async setWeights(account: Account, weights: UidWeights): Promise<Head> {
    return this.#call(account, { weights: weights.map(([uid, weight]) => [uid, weight]) })
  }

  /**
   * Registers the account's hotkey, with the next uid and without stake. Resolves with the block
   * that holds the call.
   */
  async register(account: Account): Promise<Head> {
    return this.#call(account, { register: true })
  }

  /** Sends a call. Resolves with the head of the block that holds it. */
  async #call(account: Account, call: LogCall, until?: number): Promise<Head> {
    const { sent, from } = await this.send(account, call, until)
    let next = from
    while (next <= sent.until) {
      for (const head of await this.headsFrom(next)) {
        const { calls } = await this.block(head.number)
        if (calls.includes(sent.signature)) return head
        next = head.number + 1
      }
    }
    throw new ChainError('AncientBirthBlock')
  }
}
