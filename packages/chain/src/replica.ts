import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Account } from './account.ts'
import { type Chain, ChainError, type Head, type Snapshot, type Weights } from './chain.ts'
import type { Block, Call, Extrinsic, Log, Setup, State } from './ledger.ts'
import { apply, begin, hashOf, isSigned, signExtrinsic } from './ledger.ts'

/** How many blocks a call may wait when its caller does not say, as in Substrate's clients. */
const MORTALITY = 64

/** A block, and the subnet at its end. */
type Made = { readonly head: Head; readonly block: Block; readonly state: State }

/**
 * The log of a local chain and all that follows from it. Where new blocks come from is its
 * subclasses' business.
 */
export abstract class Replica implements Chain {
  readonly netuid: number
  readonly #setup: Setup
  readonly #made: Made[] = []
  readonly #nonces = new Map<string, number>()

  /** @throws ChainError `BadLog`, as `follow` does. */
  constructor({ blocks, ...setup }: Log) {
    this.#setup = setup
    this.netuid = setup.netuid
    this.follow(blocks, 0)
  }

  /** Brings what there is from `block` on, a known one or the next, for which it waits a while. */
  protected abstract reach(block: number, signal?: AbortSignal): Promise<void>
  /** Hands over what `sign` gives, once it is time to sign. */
  protected abstract send(sign: () => Extrinsic): Promise<Extrinsic>

  get genesis(): string {
    return this.#made[0]?.head.hash ?? ''
  }

  get height(): number {
    return this.#made.length - 1
  }

  /** Of the last block. */
  protected get lastTime(): number {
    return this.#made.at(-1)?.block.time ?? 0
  }

  async time(block: number): Promise<number> {
    return (await this.#at(block)).block.time
  }

  async *heads(signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    const aborted = new Promise((resolve) =>
      signal?.addEventListener('abort', resolve, { once: true }),
    )
    for (let { number } = await this.head(); !signal?.aborted; ) {
      if (number > this.height) await Promise.race([this.reach(number, signal), aborted])
      else yield (await this.#at(number++)).head
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
    const { head, state } = await this.#at(block)
    const commitments = [...state.slots.values()]
      .map(({ hotkey, block, fields }) => ({ hotkey, block, fields: fields.map(hexToBytes) }))
      .sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
    return { head, tempo: state.params.tempo, revealPeriod: 0, neurons: state.neurons, commitments }
  }

  async weights(block: number): Promise<Readonly<Record<string, Weights>>> {
    return Object.fromEntries((await this.#at(block)).state.weights)
  }

  async commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head> {
    return this.#call(account, { fields: fields.map((field) => bytesToHex(field)) }, until)
  }

  async setWeights(account: Account, weights: Weights): Promise<Head> {
    return this.#call(account, { weights: weights.map(([uid, weight]) => [uid, weight]) })
  }

  /** Nothing: weights are set in the open here. */
  async reveal(): Promise<null> {
    return null
  }

  /** The log as one JSON text; its blocks from `from` on. */
  export(from = 0): string {
    return JSON.stringify({
      ...this.#setup,
      blocks: this.#made.slice(from).map(({ block }) => block),
    })
  }

  /**
   * Adds the blocks of a log whose first has the number `from`. Those that are here already must be
   * the same.
   * @throws ChainError `BadLog`, naming the block and what is wrong with it.
   */
  protected follow(blocks: readonly Block[], from: number): void {
    for (const [i, block] of blocks.entries()) {
      const fault = this.#fault(from + i, block)
      if (fault) throw new ChainError('BadLog', `block ${from + i} ${fault}`)
    }
  }

  /** Adds the block of these calls, provided that its hash is the `expected` one. */
  protected extend(
    time: number,
    entropy: string,
    extrinsics: readonly Extrinsic[],
    expected?: string,
  ): Head | null {
    const last = this.#made.at(-1)
    const number = this.height + 1
    const state = { ...(last?.state ?? begin(this.#setup)), block: number }
    const calls = extrinsics.map((extrinsic) => [extrinsic, apply(state, extrinsic) ?? ''] as const)
    const hash = hashOf([last?.head.hash ?? hashOf(this.#setup), time, entropy, calls])
    if (hash !== (expected ?? hash)) return null
    this.#made.push({ head: { number, hash }, block: { time, entropy, calls, hash }, state })
    return { number, hash }
  }

  /** Sends a call and gives the head of the block that carries it out. */
  async #call(account: Account, call: Call, until?: number): Promise<Head> {
    const from = this.height + 1
    const sent = await this.send(() => {
      const used = this.#made.at(-1)?.state.nonces.get(account.hotkey) ?? 0
      const nonce = Math.max(used, this.#nonces.get(account.hotkey) ?? 0)
      this.#nonces.set(account.hotkey, nonce + 1)
      return signExtrinsic(account, this, { nonce, until: until ?? this.height + MORTALITY, call })
    })
    for (let number = from; number <= sent.until; number++) {
      while (number > this.height) await this.reach(number)
      const { head, block } = await this.#at(number)
      const [found, refused] =
        block.calls.find(([{ signature }]) => signature === sent.signature) ?? []
      if (refused) throw new ChainError(refused)
      if (found) return head
    }
    throw new ChainError('AncientBirthBlock')
  }

  async #at(number: number): Promise<Made> {
    if (number > this.height) await this.reach(this.height)
    const made = this.#made[number]
    if (!made)
      throw new ChainError('UnknownBlock', `no block ${number}, the head is ${this.height}`)
    return made
  }

  /** Makes a logged block again and adds it, or says what is wrong with it. */
  #fault(number: number, { time, entropy, calls, hash }: Block): string | null {
    const known = this.#made[number]
    if (known) return known.head.hash === hash ? null : 'is another than before'
    if (time < this.lastTime) return 'is older than its parent'
    const extrinsics = calls.map(([extrinsic]) => extrinsic)
    const forged = extrinsics.findIndex((extrinsic) => !isSigned(this, extrinsic))
    if (forged !== -1) return `has a bad signature on call ${forged}`
    return this.extend(time, entropy, extrinsics, hash) ? null : 'is not what its hash says'
  }
}
