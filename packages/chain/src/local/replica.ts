import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Account } from '../account.ts'
import type { Chain, Head, Snapshot, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { ChainHistory, type MadeBlock } from './history.ts'
import { type Extrinsic, type Log, type LogCall, signExtrinsic } from './log.ts'

/** How many blocks a call may wait if its caller sets no limit, as in Substrate's clients. */
const MORTALITY = 64

/** A local chain that is replayed from its log. Subclasses define where new blocks come from. */
export abstract class Replica implements Chain {
  readonly netuid: number
  protected readonly history: ChainHistory
  /** By hotkey, the lowest nonce that was not used here. */
  readonly #nonces = new Map<string, number>()

  /** @throws ChainError `BadLog`, which names the block and what is wrong with it. */
  constructor(log: Log) {
    this.netuid = log.netuid
    this.history = new ChainHistory(log)
  }

  /**
   * Adds the blocks from `block` on, which is a known one or the next. It waits a while for the
   * next one. With a signal, it asks a server that does not answer again, until the signal aborts.
   */
  protected abstract reach(block: number, signal?: AbortSignal): Promise<void>
  /** Calls `sign` when it is time to, and sends what that returns. */
  protected abstract send(sign: () => Extrinsic): Promise<Extrinsic>

  get genesis(): string {
    return this.history.genesis
  }

  get height(): number {
    return this.history.height
  }

  async time(block: number): Promise<number> {
    return (await this.#at(block)).block.time
  }

  async *heads(signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    const aborted = new Promise((resolve) =>
      signal?.addEventListener('abort', resolve, { once: true }),
    )
    let next: number | undefined
    while (!signal?.aborted) {
      if (next === undefined || next > this.height) {
        await Promise.race([this.reach(next ?? this.height, signal), aborted])
        next ??= this.height
        continue
      }
      yield (await this.#at(next)).head
      next += 1
    }
  }

  async head(): Promise<Head> {
    await this.reach(this.height)
    return (await this.#at(this.height)).head
  }

  async blockHash(number: number): Promise<string> {
    return (await this.#at(number)).head.hash
  }

  async snapshot(block: number): Promise<Snapshot> {
    const { head, ledger } = await this.#at(block)
    const commitments = [...ledger.slots.values()]
      .map((slot) => ({
        hotkey: slot.hotkey,
        block: slot.block,
        fields: slot.fields.map(hexToBytes),
      }))
      .sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
    const { neurons, params } = ledger
    return { head, tempo: params.tempo, revealPeriod: 0, neurons, commitments }
  }

  async weights(block: number): Promise<Readonly<Record<string, UidWeights>>> {
    return Object.fromEntries((await this.#at(block)).ledger.weights)
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

  /** The log as one JSON text, with its blocks from number `from` on. */
  export(from = 0): string {
    return this.history.export(from)
  }

  /** The text that `export` gives now, in short pieces. Each is made when it is asked for. */
  exportPieces(from = 0): Iterator<string, void, undefined> {
    return this.history.pieces(from)
  }

  /** Sends a call. Resolves with the head of the block that carries it out. */
  async #call(account: Account, call: LogCall, until?: number): Promise<Head> {
    const from = this.height + 1
    const sent = await this.send(() => {
      const nonce = this.#takeNonce(account.hotkey)
      return signExtrinsic(account, this, { nonce, until: until ?? this.height + MORTALITY, call })
    })
    for (let number = from; number <= sent.until; number++) {
      while (number > this.height) await this.reach(number)
      const { head, block } = await this.#at(number)
      const found = block.calls.find(([{ signature }]) => signature === sent.signature)
      if (found === undefined) continue
      const [, refusal] = found
      if (refusal !== '') throw new ChainError(refusal)
      return head
    }
    throw new ChainError('AncientBirthBlock')
  }

  #takeNonce(hotkey: string): number {
    const onChain = this.history.last?.ledger.nonces.get(hotkey) ?? 0
    const nonce = Math.max(onChain, this.#nonces.get(hotkey) ?? 0)
    this.#nonces.set(hotkey, nonce + 1)
    return nonce
  }

  async #at(number: number): Promise<MadeBlock> {
    if (number > this.height) await this.reach(this.height)
    const made = this.history.at(number)
    if (!made)
      throw new ChainError(
        'UnknownBlock',
        `there is no block ${number}: the head is ${this.height}`,
      )
    return made
  }
}
