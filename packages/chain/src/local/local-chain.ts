import { bytesToHex } from '@noble/hashes/utils.js'
import type { Head } from '../chain.ts'
import { ChainError, type Refusal } from '../chain-error.ts'
import { type Extrinsic, isSigned, type Log, logShape, PARAMS, type Params, read } from './log.ts'
import { Replica } from './replica.ts'
import { apply } from './rules.ts'

export interface LocalOptions {
  readonly netuid: number
  /**
   * Returns 32 bytes that nobody can predict. If they come from a seed, a run can be repeated, and
   * anyone who has the seed can predict the hashes.
   */
  readonly random: () => Uint8Array
  /** The time of block 0, in milliseconds (default 0). */
  readonly time?: number
  /** In the order of their uids. */
  readonly neurons?: readonly { readonly hotkey: string; readonly stake: bigint }[]
  readonly params?: Partial<Params>
}

const MAX_WAITING = 1024

/**
 * One subnet in memory, with subtensor's rules and refusals. It makes a block when `produce` is
 * called, and keeps all blocks.
 *
 * It has one writer and no consensus: anyone who runs it can stop it or start another one. It is
 * for demos, for tests, and for checking the export of another local chain.
 */
export class LocalChain extends Replica {
  #random: LocalOptions['random'] | undefined
  readonly #pool: Extrinsic[] = []
  readonly #readers: (() => void)[] = []

  /** @throws RangeError for options out of range, and for a hotkey that is named twice. */
  static create({ netuid, random, time = 0, neurons = [], params }: LocalOptions): LocalChain {
    const log: Log = {
      format: 'affine-chain/1',
      netuid,
      params: { ...PARAMS, ...params },
      neurons: neurons.map(({ hotkey, stake }) => ({ hotkey, stake: `${stake}` })),
      blocks: [],
    }
    if (logShape(log) !== undefined)
      throw new RangeError('"netuid", "neurons" or "params" is out of range')
    const chain = new LocalChain(log)
    chain.#random = random
    chain.#extend(time)
    return chain
  }

  /**
   * The chain of an export. Each of its blocks is checked. `random` is needed only to make more
   * blocks.
   *
   * This proves that the rules were kept, and that hotkeys signed the calls in the log. It does not
   * prove that this is the only log, or all of it: for that, compare its genesis and its head with
   * ones you trust.
   * @throws ChainError `BadLog`, which names the block and what is wrong, for any text that
   *   `export` did not write.
   */
  static import(text: string, random?: LocalOptions['random']): LocalChain {
    const chain = new LocalChain(read(logShape, text, 'BadLog'))
    const isExport = chain.height >= 0 && chain.export() === text
    if (!isExport) throw new ChainError('BadLog', 'the text is not what export() writes')
    chain.#random = random
    return chain
  }

  /**
   * Makes the next block, from all calls that wait, at `time` in milliseconds. The order in which
   * they arrived does not matter. Resolves with the new head.
   * @throws RangeError, as a rejection, if `time` is before the last block's, or `random` does not
   *   return 32 bytes; TypeError if there is no `random`.
   */
  async produce(time: number): Promise<Head> {
    this.#extend(time)
    for (const wake of this.#readers.splice(0)) wake()
    return this.head()
  }

  /**
   * How the next block would refuse a call; null if it would not. Of the calls that wait, those of
   * the same hotkey and all registrations are considered. Signatures are not checked.
   */
  refusalOf(extrinsic: Extrinsic): Refusal | null {
    const concerns = ({ hotkey, call }: Extrinsic) =>
      hotkey === extrinsic.hotkey || 'register' in call
    const calls = [...this.#pool.filter(concerns), extrinsic].sort(byRank)
    const ledger = this.history.nextLedger()
    const refusals = calls.map((call) => apply(ledger, call))
    return refusals.find((refusal) => refusal !== null) ?? null
  }

  /**
   * Adds a call that was signed elsewhere to those that wait, and returns it. The next block holds
   * it, with its refusal if it is refused.
   * @throws ChainError `BadProof` for a wrong signature; `ExhaustsResources` if 1024 calls wait.
   */
  submit(extrinsic: Extrinsic): Extrinsic {
    if (!isSigned(this, extrinsic)) throw new ChainError('BadProof')
    if (this.#pool.length >= MAX_WAITING) throw new ChainError('ExhaustsResources')
    this.#pool.push(extrinsic)
    return extrinsic
  }

  /**
   * Signs a call and lets it wait, before this returns: the next `produce` includes the call, even
   * if nothing awaits this.
   */
  protected async send(sign: () => Extrinsic): Promise<Extrinsic> {
    return this.submit(sign())
  }

  protected async reach(block: number): Promise<void> {
    if (block > this.height) await new Promise<void>((resolve) => this.#readers.push(resolve))
  }

  #extend(time: number): void {
    if (!this.#random)
      throw new TypeError('"random" is needed to make blocks: pass it to LocalChain.import')
    const { lastTime } = this.history
    if (!Number.isSafeInteger(time) || time < lastTime)
      throw new RangeError(`"time" expected an integer from ${lastTime} on, got ${time}`)
    const entropy = this.#random()
    if (entropy.length !== 32)
      throw new RangeError(`"random" expected to give 32 bytes, got ${entropy.length}`)
    const extrinsics = this.#pool.splice(0).sort(byRank)
    this.history.extend({ time, entropy: bytesToHex(entropy), extrinsics })
  }
}

/** A block sorts its calls by hotkey and nonce, in whatever order they arrived. */
const rankOf = ({ hotkey, nonce, signature }: Extrinsic): string =>
  `${hotkey} ${String(nonce).padStart(16, '0')} ${signature}`

function byRank(a: Extrinsic, b: Extrinsic): number {
  if (rankOf(a) === rankOf(b)) return 0
  return rankOf(a) < rankOf(b) ? -1 : 1
}
