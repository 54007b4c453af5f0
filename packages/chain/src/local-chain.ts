import { bytesToHex } from '@noble/hashes/utils.js'
import type { Account } from './account.ts'
import { badLog, isLog, type Log, parseLog } from './block.ts'
import { type ChainError, type Head, refusal } from './chain.ts'
import { type Call, type Entry, type Extrinsic, hashOf, inOrder, isExtrinsic, isSigned, sudo } from './extrinsic.ts'
import { PARAMS, type Params } from './ledger.ts'
import { Replica } from './replica.ts'

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

interface Waiting {
  readonly entry: Entry
  readonly resolve: (head: Head) => void
  readonly reject: (error: ChainError) => void
}

const MAX_WAITING = 1024
const noRandom: Random = () => {
  throw new TypeError('"random" is needed to make blocks: pass it to LocalChain.import')
}

/**
 * One subnet in memory, with subtensor's rules and refusals. Makes a block when told to, and keeps them all.
 *
 * One writer and no consensus: whoever holds it can stop it or start another. For demos, for tests, and for checking
 * from its export what another one did.
 */
export class LocalChain extends Replica {
  readonly #random: Random
  #waiting: Waiting[] = []
  readonly #results = new Map<string, Promise<Head>>()
  readonly #listeners = new Set<() => void>()

  private constructor(log: Log, random: Random) {
    super(log)
    this.#random = random
  }

  /** @throws RangeError on options out of range, ChainError on a hotkey named twice. */
  static create({ netuid, random, time = 0, neurons = [], params }: LocalOptions): LocalChain {
    const log = { format: 'affine-chain/1', netuid, params: { ...PARAMS, ...params }, blocks: [] }
    if (!isLog(log)) throw new RangeError('"netuid" or "params" is out of range')
    const chain = new LocalChain(log, random)
    const entries = neurons.map(({ hotkey, stake }) => sudo('register', hotkey, stake))
    const block = chain.extend(time, chain.#entropy(time), entries)
    for (const [, refused] of block.calls) if (refused) throw refusal(refused)
    return chain
  }

  /**
   * The chain of an export, each block of it checked; `random` is for making more.
   *
   * Proves that the rules were kept and that hotkeys signed what it says they asked, not that it is the only such log,
   * or all of it: for that, compare its genesis and its head with ones you trust.
   * @throws ChainError `BadLog`, naming the block and what is wrong, on any text that `export` did not write.
   */
  static import(text: string, random: Random = noRandom): LocalChain {
    const chain = new LocalChain(parseLog(text), random)
    if (chain.height < 0 || chain.export() !== text) throw badLog('the text is not as export() writes it')
    return chain
  }

  /**
   * Makes the next block of all that waits, at `time` in milliseconds. The order of arrival does not matter.
   * @throws RangeError when `time` is before the last block's, or `random` gives anything but 32 bytes.
   */
  async produce(time: number): Promise<Head> {
    const entropy = this.#entropy(time)
    const waiting = this.#waiting.sort((a, b) => inOrder(a.entry, b.entry))
    this.#waiting = []
    const entries = waiting.map(({ entry }) => entry)
    const { number, hash, calls } = this.extend(time, entropy, entries)
    for (const [i, { resolve, reject }] of waiting.entries()) {
      const refused = calls[i]?.[1]
      if (refused) reject(refusal(refused))
      else resolve({ number, hash })
    }
    for (const listener of this.#listeners) listener()
    return { number, hash }
  }

  /** The owner's calls come first in the next block. A newcomer takes the lowest free uid. */
  async register(hotkey: string, stake: bigint): Promise<Head> {
    return this.#add(sudo('register', hotkey, stake))
  }

  async deregister(hotkey: string): Promise<Head> {
    return this.#add(sudo('deregister', hotkey, 0n))
  }

  async setStake(hotkey: string, stake: bigint): Promise<Head> {
    return this.#add(sudo('setStake', hotkey, stake))
  }

  /** Pools what was signed elsewhere. Sent again, it has no other effect and the same answer. */
  async submit(extrinsic: Extrinsic): Promise<Head> {
    if (!isExtrinsic(extrinsic)) throw refusal('BadFormat')
    const id = hashOf(extrinsic)
    const known = this.#results.get(id)
    if (known) return known
    if (!isSigned(this, extrinsic)) throw refusal('BadProof')
    const barred = this.ledger.barred(extrinsic, this.height + 1)
    if (barred) throw refusal(barred)
    const result = this.#add(extrinsic)
    this.#results.set(id, result)
    return result
  }

  async *heads(signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    let wake = () => {}
    const listener = () => wake()
    this.#listeners.add(listener)
    signal?.addEventListener('abort', listener)
    try {
      for (let number = this.height; !signal?.aborted; ) {
        if (number <= this.height) yield this.headAt(number++)
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      this.#listeners.delete(listener)
      signal?.removeEventListener('abort', listener)
    }
  }

  /** Signs and pools before it returns: the next `produce` includes the call, awaited or not. */
  protected send(account: Account, call: Call, until?: number): Promise<Head> {
    return this.submit(this.sign(account, call, until))
  }

  protected reach(): undefined {}

  #add(entry: Entry): Promise<Head> {
    if (this.#waiting.length >= MAX_WAITING) throw refusal('ExhaustsResources')
    return new Promise((resolve, reject) => this.#waiting.push({ entry, resolve, reject }))
  }

  #entropy(time: number): string {
    const earliest = this.height < 0 ? 0 : this.block(this.height).time
    if (!Number.isSafeInteger(time) || time < earliest)
      throw new RangeError(`"time" expected an integer from ${earliest} on, got ${time}`)
    const entropy = this.#random()
    if (entropy.length !== 32) throw new RangeError(`"random" expected to give 32 bytes, got ${entropy.length}`)
    return bytesToHex(entropy)
  }
}
