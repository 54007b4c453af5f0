import { bytesToHex } from '@noble/hashes/utils.js'
import type { Account } from './account.ts'
import { type Block, badLog, isBlock, type Log, type Setup } from './block.ts'
import { type Chain, ChainError, type Head, type Snapshot, type Weights } from './chain.ts'
import { type Call, type Entry, type Extrinsic, hashOf, isSigned, signExtrinsic } from './extrinsic.ts'
import { Ledger } from './ledger.ts'

/** How many blocks of a log are sent at a time. */
export const PAGE_BLOCKS = 256
/** How many blocks a call may wait when its caller does not say, as in Substrate's clients. */
const MORTALITY = 64

/** The log of a local chain and all that follows from it. Where new blocks come from is its subclasses' business. */
export abstract class Replica implements Chain {
  readonly netuid: number
  readonly #setup: Setup
  readonly #blocks: Block[] = []
  readonly #nonces = new Map<string, number>()
  protected readonly ledger: Ledger

  /** @throws ChainError `BadLog`, as `follow` does. */
  constructor({ format, netuid, params, blocks }: Log) {
    this.#setup = { format, netuid, params }
    this.ledger = new Ledger(params)
    this.netuid = netuid
    this.follow(blocks)
  }

  abstract heads(signal?: AbortSignal): AsyncIterable<Head>
  protected abstract send(account: Account, call: Call, until?: number): Promise<Head>
  /** Waits until `block`, or what is now the newest, is in here, if it exists. */
  protected abstract reach(block: number): Promise<void> | undefined

  get genesis(): string {
    return this.block(0).hash
  }

  get height(): number {
    return this.#blocks.length - 1
  }

  async head(): Promise<Head> {
    await this.reach(Number.POSITIVE_INFINITY)
    return this.headAt(this.height)
  }

  async blockHash(number: number): Promise<string> {
    await this.reach(number)
    return this.block(number).hash
  }

  async snapshot(block: number): Promise<Snapshot> {
    await this.reach(block)
    const head = this.headAt(block)
    const [neurons, commitments] = [this.ledger.neurons(block), this.ledger.commitments(block)]
    return { head, tempo: this.#setup.params.tempo, commitReveal: false, neurons, commitments }
  }

  async weights(block: number): Promise<Readonly<Record<string, Weights>>> {
    await this.reach(block)
    return this.ledger.weights(this.block(block).number)
  }

  async commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head> {
    return this.send(account, { fields: fields.map((field) => bytesToHex(field)) }, until)
  }

  async setWeights(account: Account, weights: Weights): Promise<Head> {
    return this.send(account, { weights: weights.map(([uid, weight]) => [uid, weight]) })
  }

  /** The log as one JSON text; or `most` blocks of it, from block `from` on. */
  export(from = 0, most: number = Number.POSITIVE_INFINITY): string {
    const log: Log = { ...this.#setup, blocks: this.#blocks.slice(from, from + most) }
    return JSON.stringify(log)
  }

  /**
   * Adds the blocks of a log, once all there is to check is checked; those that are here already must be the same.
   * @throws ChainError `BadLog`, naming the block and what is wrong with it.
   */
  protected follow(blocks: readonly unknown[]): void {
    for (const block of blocks) {
      if (!isBlock(block)) throw badLog(`the block after ${this.height} is malformed`)
      const known = this.#blocks[block.number]
      const fault = known ? (known.hash === block.hash ? null : 'is another than before') : this.#replay(block)
      if (fault) throw badLog(`block ${block.number} ${fault}`)
    }
  }

  /** Adds the block of these calls. */
  protected extend(time: number, entropy: string, entries: readonly Entry[]): Block {
    const number = this.#blocks.length
    const parent = this.#blocks.at(-1)?.hash ?? hashOf(this.#setup)
    const calls = entries.map((entry) => [entry, this.ledger.apply(entry, number) ?? ''] as const)
    this.ledger.close(number)
    const content = { number, parent, time, entropy, calls }
    const block = { ...content, hash: hashOf(content) }
    this.#blocks.push(block)
    return block
  }

  protected sign(account: Account, call: Call, until: number = this.height + MORTALITY): Extrinsic {
    const { hotkey } = account
    const nonce = Math.max(this.ledger.nonce(hotkey), this.#nonces.get(hotkey) ?? 0)
    this.#nonces.set(hotkey, nonce + 1)
    return signExtrinsic(account, this, { nonce, until, call })
  }

  protected headAt(number: number): Head {
    return { number, hash: this.block(number).hash }
  }

  protected block(number: number): Block {
    const block = this.#blocks[number]
    if (!block) throw new ChainError('UnknownBlock', `UnknownBlock: no block ${number}, the head is ${this.height}`)
    return block
  }

  /** Makes a logged block again and says what is wrong with it, if anything. */
  #replay(logged: Block): string | null {
    const { hash, ...content } = logged
    const { number, parent, time, entropy, calls } = content
    const last = this.#blocks.at(-1)
    const network = { genesis: this.#blocks[0]?.hash ?? '', netuid: this.netuid }
    if (number !== this.height + 1) return `comes after ${this.height}`
    if (parent !== (last?.hash ?? hashOf(this.#setup))) return 'has another parent'
    if (time < (last?.time ?? 0)) return 'is older than its parent'
    if (hash !== hashOf(content)) return 'is not what its hash says'
    const forged = calls.findIndex(([entry]) => 'signature' in entry && !isSigned(network, entry))
    if (forged !== -1) return `has a bad signature on call ${forged}`
    const entries = calls.map(([entry]) => entry)
    const made = this.extend(time, entropy, entries)
    const wrong = calls.findIndex(([, refused], i) => refused !== made.calls[i]?.[1])
    return wrong === -1 ? null : `says "${calls[wrong]?.[1]}" of call ${wrong}, which gives "${made.calls[wrong]?.[1]}"`
  }
}
