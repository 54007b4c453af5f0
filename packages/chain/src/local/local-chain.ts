import { bytesToHex } from '@noble/hashes/utils.js'
import type { Head } from '../chain.ts'
import { ChainError, type Refusal } from '../chain-error.ts'
import { type Extrinsic, isSigned, logShape, PARAMS, type Params, read } from './log.ts'
import { Replica } from './replica.ts'
import { apply } from './rules.ts'

export interface LocalOptions {
  readonly netuid: number
  /**
   * 32 bytes that nobody can predict. From a seed, a run repeats, and whoever has the seed knows
   * the hashes.
   */
  readonly random: () => Uint8Array
  /** Of block 0, in milliseconds. */
  readonly time?: number
  /** By uid. */
  readonly neurons?: readonly { readonly hotkey: string; readonly stake: bigint }[]
  readonly params?: Partial<Params>
}

const MAX_WAITING = 1024

/**
 * One subnet in memory, with subtensor's rules and refusals. Makes a block when told to, and keeps
 * them all.
 *
 * One writer and no consensus: whoever holds it can stop it or start another. For demos, for tests,
 * and for checking from its export what another one did.
 */
export class LocalChain extends Replica {
  #random: LocalOptions['random'] | undefined
  readonly #pool: Extrinsic[] = []
  readonly #readers: (() => void)[] = []

  /** @throws RangeError on options out of range, and on a hotkey named twice. */
  static create({ netuid, random, time = 0, neurons = [], params }: LocalOptions): LocalChain {
    const { data: log } = logShape.safeParse({
      format: 'affine-chain/1',
      netuid,
      params: { ...PARAMS, ...params },
      neurons: neurons.map(({ hotkey, stake }) => ({ hotkey, stake: `${stake}` })),
      blocks: [],
    })
    if (!log) throw new RangeError('"netuid", "neurons" or "params" is out of range')
    const chain = new LocalChain(log)
    chain.#random = random
    chain.#extend(time)
    return chain
  }

  /**
   * The chain of an export, each block of it checked; `random` is for making more.
   *
   * Proves that the rules were kept and that hotkeys signed what it says they asked, not that it is
   * the only such log, or all of it: for that, compare its genesis and its head with ones you
   * trust.
   * @throws ChainError `BadLog`, naming the block and what is wrong, on any text that `export` did
   *   not write.
   */
  static import(text: string, random?: LocalOptions['random']): LocalChain {
    const chain = new LocalChain(read(logShape, text, 'BadLog'))
    const isExport = chain.height >= 0 && chain.export() === text
    if (!isExport) throw new ChainError('BadLog', 'the text is not as export() writes it')
    chain.#random = random
    return chain
  }

  /**
   * Makes the next block of all that waits, at `time` in milliseconds. The order of arrival does
   * not matter.
   * @throws RangeError when `time` is before the last block's, or `random` gives anything but 32
   *   bytes.
   */
  async produce(time: number): Promise<Head> {
    this.#extend(time)
    for (const wake of this.#readers.splice(0)) wake()
    return this.head()
  }

  /**
   * What the next block would refuse a call with, or null; of what waits, it counts what the same
   * hotkey has sent, and registrations. Looks at no signature.
   */
  refusalOf(extrinsic: Extrinsic): Refusal | null {
    const concerns = ({ hotkey, call }: Extrinsic) =>
      hotkey === extrinsic.hotkey || 'register' in call
    const calls = [...this.#pool.filter(concerns), extrinsic].sort(byRank)
    const ledger = this.history.nextLedger()
    const refusals = calls.map((call) => apply(ledger, call))
    return refusals.find((refusal) => refusal !== null) ?? null
  }

  /** Pools what was signed elsewhere; the next block tells what becomes of it. */
  submit(extrinsic: Extrinsic): Extrinsic {
    if (!isSigned(this, extrinsic)) throw new ChainError('BadProof')
    if (this.#pool.length >= MAX_WAITING) throw new ChainError('ExhaustsResources')
    this.#pool.push(extrinsic)
    return extrinsic
  }

  /** Signs and pools before it returns: the next `produce` includes the call, awaited or not. */
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

/** A block has its calls by hotkey and nonce, whatever the order of arrival. */
const rankOf = ({ hotkey, nonce, signature }: Extrinsic): string =>
  `${hotkey} ${String(nonce).padStart(16, '0')} ${signature}`

function byRank(a: Extrinsic, b: Extrinsic): number {
  if (rankOf(a) === rankOf(b)) return 0
  return rankOf(a) < rankOf(b) ? -1 : 1
}
