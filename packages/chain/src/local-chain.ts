import { bytesToHex } from '@noble/hashes/utils.js'
import type { Account } from './account.ts'
import { type Block, difference, isBlock, isLog, type Log, originOf, sealBlock } from './block.ts'
import { type Chain, ChainError, type Head, MORTALITY, refusal, type Snapshot, type Weights } from './chain.ts'
import {
  type Call,
  commitCall,
  type Entry,
  type Extrinsic,
  isExtrinsic,
  isSigned,
  signExtrinsic,
  sudoCall,
  weightsCall,
} from './extrinsic.ts'
import { Ledger, PARAMS, type Params } from './ledger.ts'
import { Pool } from './pool.ts'
import { parseJson } from './shape.ts'

/** 32 bytes that nobody can predict. From a seed, a run repeats, and whoever has the seed knows the hashes. */
export type Random = () => Uint8Array

export interface LocalOptions {
  readonly netuid: number
  readonly random: Random
  /** Of block 0, in milliseconds. */
  readonly time?: number
  readonly neurons?: readonly { readonly hotkey: string; readonly stake: bigint }[]
  readonly params?: Partial<Params>
}

const noRandom: Random = () => {
  throw new TypeError('"random" is needed to make blocks: pass it to LocalChain.import')
}

/**
 * One subnet in memory, with subtensor's rules and refusals. Makes a block when told to, and keeps them all.
 *
 * One writer and no consensus: whoever holds it can stop it or start another. For demos, for tests, and for checking
 * from its export what another one did.
 */
export class LocalChain implements Chain {
  readonly netuid: number
  readonly #setup: Omit<Log, 'blocks'>
  readonly #random: Random
  readonly #ledger: Ledger
  readonly #blocks: Block[] = []
  readonly #pool = new Pool()
  readonly #listeners = new Set<() => void>()

  private constructor(setup: Omit<Log, 'blocks'>, random: Random) {
    this.#setup = setup
    this.#random = random
    this.#ledger = new Ledger({ ...setup.params, stakeThreshold: BigInt(setup.params.stakeThreshold) })
    this.netuid = setup.netuid
  }

  /** @throws RangeError on options out of range, ChainError on a hotkey named twice. */
  static create({ netuid, random, time = 0, neurons = [], params }: LocalOptions): LocalChain {
    const { tempo, maxValidators, stakeThreshold, weightsRateLimit, commitmentBytes } = { ...PARAMS, ...params }
    const numbers = { tempo, maxValidators, stakeThreshold: `${stakeThreshold}`, weightsRateLimit, commitmentBytes }
    const setup = { format: 'affine-chain/1', netuid, params: numbers } as const
    if (!isLog({ ...setup, blocks: [] }))
      throw new RangeError(`out of range: ${JSON.stringify({ netuid, ...numbers })}`)
    const chain = new LocalChain(setup, random)
    const block = chain.#extend(
      time,
      chain.#entropy(time),
      neurons.map(({ hotkey, stake }) => sudoCall('register', hotkey, stake)),
    )
    for (const [, refused] of block.calls) if (refused) throw refusal(refused)
    return chain
  }

  /**
   * Replays an export with every check: links, hashes, signatures, nonces, refusals. `random` is for going on from there.
   *
   * Proves that the log keeps the rules and that the hotkeys signed what it says they asked; not that it is the only
   * log. For that, compare `genesis` and the head's hash with ones you trust.
   * @throws ChainError `ImportRefused`, naming the block and the reason, on any other text.
   */
  static import(text: string, random: Random = noRandom): LocalChain {
    const log = parseJson(text)
    if (!isLog(log)) throw importRefused('not the export of a local chain')
    const { blocks, ...setup } = log
    const chain = new LocalChain(setup, random)
    for (const [number, block] of blocks.entries()) {
      const fault = isBlock(block) ? chain.#replay(block) : 'is malformed'
      if (fault !== null) throw importRefused(`block ${number} ${fault}`)
    }
    if (blocks.length === 0 || chain.export() !== text) throw importRefused('not a text that export() writes')
    return chain
  }

  /** All that happened, as one JSON text. What still waits for a block is not in it. */
  export(): string {
    return JSON.stringify({ ...this.#setup, blocks: this.#blocks })
  }

  /**
   * Makes the next block of all that waits, at `time` in milliseconds. The order of arrival does not matter.
   * @throws RangeError when `time` is before the last block's, or "random" gives anything but 32 bytes.
   */
  async produce(time: number): Promise<Head> {
    const entropy = this.#entropy(time)
    const { entries, settle } = this.#pool.take()
    const block = this.#extend(time, entropy, entries)
    const head = { number: block.number, hash: block.hash }
    settle(
      head,
      block.calls.map(([, refused]) => refused),
    )
    for (const listener of this.#listeners) listener()
    return head
  }

  /** The owner's calls: they come first in the next block. A newcomer takes the lowest free uid. */
  async register(hotkey: string, stake: bigint): Promise<Head> {
    return this.#pool.add(sudoCall('register', hotkey, stake))
  }

  async deregister(hotkey: string): Promise<Head> {
    return this.#pool.add(sudoCall('deregister', hotkey, 0n))
  }

  async setStake(hotkey: string, stake: bigint): Promise<Head> {
    return this.#pool.add(sudoCall('setStake', hotkey, stake))
  }

  /** Signs and pools before it returns, so that the next `produce` includes it. */
  async commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head> {
    return this.#send(account, commitCall(fields), until)
  }

  /** As `commit`. */
  async setWeights(account: Account, weights: Weights): Promise<Head> {
    return this.#send(account, weightsCall(weights))
  }

  /** Pools what was signed elsewhere. Sent again, it has no other effect and gets the same answer. */
  async submit(extrinsic: Extrinsic): Promise<Head> {
    if (!isExtrinsic(extrinsic)) throw refusal('BadFormat')
    const known = this.#pool.result(extrinsic)
    if (known) return known
    if (!isSigned(this, extrinsic)) throw refusal('BadProof')
    const barred = this.#ledger.barred(extrinsic, this.#blocks.length)
    if (barred) throw refusal(barred)
    return this.#pool.add(extrinsic)
  }

  /** The nonce for `hotkey` to sign with next. */
  nonce(hotkey: string): number {
    return Math.max(this.#ledger.nonce(hotkey), this.#pool.nonce(hotkey))
  }

  get genesis(): string {
    return this.#block(0).hash
  }

  async head(): Promise<Head> {
    return this.#head(this.#blocks.length - 1)
  }

  heads(signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    return this.#heads(this.#blocks.length - 1, signal)
  }

  async blockHash(number: number): Promise<string> {
    return this.#block(number).hash
  }

  async snapshot(block: number): Promise<Snapshot> {
    const { tempo } = this.#setup.params
    const [neurons, commitments] = [this.#ledger.neurons(block), this.#ledger.commitments(block)]
    return { head: this.#head(block), tempo, commitReveal: false, neurons, commitments }
  }

  async weights(block: number): Promise<Readonly<Record<string, Weights>>> {
    return this.#ledger.weights(this.#block(block).number)
  }

  async #send(account: Account, call: Call, until = this.#blocks.length - 1 + MORTALITY): Promise<Head> {
    return this.submit(signExtrinsic(account, this, { nonce: this.nonce(account.hotkey), until, call }))
  }

  async *#heads(from: number, signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    let wake = () => {}
    const listener = () => wake()
    this.#listeners.add(listener)
    signal?.addEventListener('abort', listener)
    try {
      for (let number = from; !signal?.aborted; ) {
        if (number < this.#blocks.length) yield this.#head(number++)
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      this.#listeners.delete(listener)
      signal?.removeEventListener('abort', listener)
    }
  }

  #head(number: number): Head {
    return { number, hash: this.#block(number).hash }
  }

  #block(number: number): Block {
    const block = this.#blocks[number]
    if (!block) throw new ChainError('UnknownBlock', `UnknownBlock: ${number}; the head is ${this.#blocks.length - 1}`)
    return block
  }

  #entropy(time: number): string {
    const earliest = this.#blocks.at(-1)?.time ?? 0
    if (!Number.isSafeInteger(time) || time < earliest)
      throw new RangeError(`"time" expected an integer from ${earliest} on, got ${time}`)
    const entropy = this.#random()
    if (entropy.length !== 32) throw new RangeError(`"random" expected to give 32 bytes, got ${entropy.length}`)
    return bytesToHex(entropy)
  }

  #extend(time: number, entropy: string, entries: readonly Entry[]): Block {
    const number = this.#blocks.length
    const parent = this.#blocks.at(-1)?.hash ?? originOf(this.#setup)
    const calls = entries.map((entry) => [entry, this.#ledger.apply(entry, number) ?? ''] as const)
    this.#ledger.close(number)
    const block = sealBlock({ number, parent, time, entropy, calls })
    this.#blocks.push(block)
    return block
  }

  /** Makes a logged block again; says what is wrong with it, if anything. */
  #replay(logged: Block): string | null {
    const last = this.#blocks.at(-1)
    const network = { genesis: this.#blocks[0]?.hash ?? '', netuid: this.netuid }
    const entries = logged.calls.map(([entry]) => entry)
    const forged = entries.findIndex((entry) => 'signature' in entry && !isSigned(network, entry))
    if (forged !== -1) return `call ${forged} has a bad signature`
    if (logged.time < (last?.time ?? 0)) return 'is older than the block before it'
    return difference(this.#extend(logged.time, logged.entropy, entries), logged)
  }
}

const importRefused = (why: string) => new ChainError('ImportRefused', `ImportRefused: ${why}`)
