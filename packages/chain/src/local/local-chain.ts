import { canonicalize } from '@affine/prng'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { type Account, verifyReady } from '../account.ts'
import type { Chain, Head, OpenAt, Snapshot, UidWeights } from '../chain.ts'
import { ChainError, unknownBlock } from '../chain-error.ts'
import {
  type Extrinsic,
  hashOfBlock,
  hashOfSetup,
  isSigned,
  type Log,
  type LogBlock,
  type LogCall,
  type LogSetup,
  PARAMS,
  type Params,
  readLog,
  setupShape,
  signExtrinsic,
} from './log.ts'
import { apply, firstLedgerOf, type Ledger, ownerOf } from './rules.ts'

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
/** How many blocks a call may wait if its caller sets no limit, as in Substrate's clients. */
const MORTALITY = 64

/** A block, and the subnet at its end. */
interface MadeBlock {
  readonly head: Head
  readonly block: LogBlock
  readonly ledger: Ledger
}

/**
 * One subnet in memory, with subtensor's rules and refusals. It makes a block when `produce` is
 * called, and keeps all blocks. A call that the next block would refuse is refused at once, and is
 * in no block. Nor is one whose hotkey is evicted first: it ends at its deadline.
 *
 * It has one writer and no consensus: anyone who runs it can stop it or start another one. It is
 * for demos, for tests, and for checking the export of another local chain.
 */
export class LocalChain implements Chain {
  readonly netuid: number
  readonly #setup: LogSetup
  readonly #made: MadeBlock[] = []
  #random: LocalOptions['random'] | undefined
  readonly #pool: Extrinsic[] = []
  readonly #readers: (() => void)[] = []
  /** The lowest nonce that each hotkey that signed here may use next. */
  readonly #nonces = new Map<string, number>()

  protected constructor(setup: LogSetup, random?: LocalOptions['random']) {
    this.netuid = setup.netuid
    this.#setup = setup
    this.#random = random
  }

  /** @throws RangeError for options out of range, and for a hotkey that is named twice. */
  static create({ netuid, random, time = 0, neurons = [], params }: LocalOptions): LocalChain {
    const setup: LogSetup = {
      format: 'affine-chain/1',
      netuid,
      params: { ...PARAMS, ...params },
      neurons: neurons.map(({ hotkey, stake }) => ({ hotkey, stake: `${stake}` })),
    }
    if (setupShape(setup) !== undefined)
      throw new RangeError('"netuid", "neurons" or "params" is out of range')
    const chain = new LocalChain(setup, random)
    chain.#extend(time)
    return chain
  }

  /**
   * The chain of an export. Each of its blocks is checked. `random` is needed only to make more
   * blocks.
   *
   * This proves that the rules were kept, and that hotkeys signed the calls in the log. It does not
   * prove that this is the only log, or all of it: for that, compare its genesis and its head with
   * ones you trust. Many signatures take long before `verifyReady` resolves.
   * @throws ChainError `BadLog`, which names the block and what is wrong, for any text that
   *   `export` did not write.
   */
  static import(text: string, random?: LocalOptions['random']): LocalChain {
    const log = readLog(text)
    if (log.blocks.length === 0) throw new ChainError('BadLog', 'the text has no block')
    const chain = new LocalChain(log.setup, random)
    chain.follow(log, 0)
    return chain
  }

  get params(): Params {
    return this.#setup.params
  }

  get genesis(): string {
    return this.#made[0]?.head.hash ?? ''
  }

  /** The number of the last block. */
  get height(): number {
    return this.#made.length - 1
  }

  /**
   * The log, or a part of it: a line for what the chain started from, and a line for each block of
   * the numbers `from` to `end - 1`.
   */
  export(from = 0, end?: number): string {
    const entries = [this.#setup, ...this.#made.slice(from, end).map(({ block }) => block)]
    return entries.map((entry) => `${canonicalize(entry)}\n`).join('')
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
   * Adds a call that was signed elsewhere to those that wait for the next block, and returns it.
   * @throws ChainError `BadProof` for a wrong signature; `ExhaustsResources` if 1024 calls wait;
   *   and with the name of the refusal if the next block would refuse it, after the calls that wait
   *   of the same hotkey and all registrations.
   */
  submit(extrinsic: Extrinsic): Extrinsic {
    if (!isSigned(this, extrinsic)) throw new ChainError('BadProof')
    if (this.#pool.length >= MAX_WAITING) throw new ChainError('ExhaustsResources')
    const concerns = ({ hotkey, call }: Extrinsic) =>
      hotkey === extrinsic.hotkey || 'register' in call
    const calls = [...this.#pool.filter(concerns), extrinsic].sort(byRank)
    const ledger = this.#nextLedger()
    for (const call of calls) {
      const refusal = apply(ledger, call)
      if (refusal !== null) throw new ChainError(refusal)
    }
    this.#pool.push(extrinsic)
    return extrinsic
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

  async time(block: number): Promise<number> {
    return (await this.#at(block)).block.time
  }

  async snapshot(block: number): Promise<Snapshot> {
    const { head, ledger } = await this.#at(block)
    const { neurons, params, slots } = ledger
    const commitments = [...slots.values()]
      .map(({ hotkey, block, fields }) => ({ hotkey, block, fields: fields.map(hexToBytes) }))
      .sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
    const { tempo, maxUids, immunityPeriod } = params
    const owner = ownerOf(ledger)?.hotkey
    return { head, tempo, revealPeriod: 0, maxUids, immunityPeriod, owner, neurons, commitments }
  }

  async weights(block: number): Promise<Readonly<Record<string, UidWeights>>> {
    return Object.fromEntries((await this.#at(block)).ledger.weights)
  }

  async commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head> {
    return this.#call(account, { fields: fields.map((field) => bytesToHex(field)) }, until)
  }

  async setWeights(account: Account, weights: UidWeights, until?: number): Promise<Head> {
    return this.#call(account, { weights: weights.map(([uid, weight]) => [uid, weight]) }, until)
  }

  /**
   * Registers the account's hotkey without stake: with the next uid or, on a full subnet, with that
   * of a neuron that it replaces. Resolves with the block that holds the call.
   */
  async register(account: Account): Promise<Head> {
    return this.#call(account, { register: true })
  }

  /**
   * Resolves once there is such a block, or after a while without one. With a signal, a server that
   * does not answer is asked again, until the signal aborts.
   */
  protected async reach(block: number, _signal?: AbortSignal): Promise<void> {
    if (block > this.height) await new Promise<void>((resolve) => this.#readers.push(resolve))
  }

  /**
   * Calls `sign` and sends what that returns, before this returns: the next `produce` includes the
   * call, even if nothing awaits this.
   */
  protected async send(sign: () => Extrinsic): Promise<Extrinsic> {
    return this.submit(sign())
  }

  /**
   * Adds the blocks of a log, of which the first is number `from`. Those that are here already must
   * be the same.
   * @throws ChainError `BadLog`, which names the block and what is wrong with it.
   */
  protected follow({ setup, blocks }: Log, from: number): void {
    if (canonicalize(setup) !== canonicalize(this.#setup))
      throw new ChainError('BadLog', 'the chain began otherwise')
    for (const [i, block] of blocks.entries()) {
      const known = this.#made[from + i]?.head
      if (known === undefined) this.#follow(block)
      else if (known.hash !== block.hash) throw badBlock(from + i, 'is another one than before')
    }
  }

  /** Sends a call. Resolves with the head of the block that holds it. */
  async #call(account: Account, call: LogCall, until?: number): Promise<Head> {
    const from = this.height + 1
    const sent = await this.send(() => {
      const nonce = this.#takeNonce(account.hotkey)
      return signExtrinsic(account, this, { nonce, until: until ?? this.height + MORTALITY, call })
    })
    for (let number = from; number <= sent.until; number++) {
      while (number > this.height) await this.reach(number)
      const { head, block } = await this.#at(number)
      if (block.calls.some(({ signature }) => signature === sent.signature)) return head
    }
    throw new ChainError('AncientBirthBlock')
  }

  #takeNonce(hotkey: string): number {
    const onChain = this.#made.at(-1)?.ledger.nonces.get(hotkey) ?? 0
    const nonce = Math.max(onChain, this.#nonces.get(hotkey) ?? 0)
    this.#nonces.set(hotkey, nonce + 1)
    return nonce
  }

  async #at(number: number): Promise<MadeBlock> {
    if (number > this.height) await this.head()
    const made = this.#made[number]
    if (made) return made
    throw unknownBlock(number, this.height)
  }

  #extend(time: number): void {
    if (!this.#random)
      throw new TypeError('"random" is needed to make blocks: pass it to LocalChain.import')
    const least = this.#lastTime
    if (!Number.isSafeInteger(time) || time < least)
      throw new RangeError(`"time" expected an integer from ${least} on, got ${time}`)
    const entropy = this.#random()
    if (entropy.length !== 32)
      throw new RangeError(`"random" expected to give 32 bytes, got ${entropy.length}`)
    // A registration may have evicted the hotkey of a call that was taken before.
    const ledger = this.#nextLedger()
    const calls = this.#pool.splice(0).sort(byRank)
    const carriedOut = calls.filter((call) => apply(ledger, call) === null)
    this.#make({ time, entropy: bytesToHex(entropy), calls: carriedOut })
  }

  /** Makes a block of a log again, and checks that it is the same. */
  #follow(block: LogBlock): void {
    const number = this.#made.length
    if (block.time < this.#lastTime) throw badBlock(number, 'is older than its parent')
    for (const [i, call] of block.calls.entries())
      if (!isSigned(this, call)) throw badBlock(number, `has a bad signature on call ${i}`)
    const { hash } = this.#make(block)
    if (hash !== block.hash) throw badBlock(number, 'does not match its hash')
  }

  #make(draft: Omit<LogBlock, 'hash'>): Head {
    const number = this.#made.length
    const { time, entropy, calls } = draft
    const ledger = this.#nextLedger()
    for (const [i, call] of calls.entries()) {
      const refusal = apply(ledger, call)
      if (refusal !== null) throw badBlock(number, `has a call ${i} that is refused: ${refusal}`)
    }
    const parent = this.#made.at(-1)?.head.hash ?? hashOfSetup(this.#setup)
    const hash = hashOfBlock(parent, draft)
    const head = { number, hash }
    this.#made.push({ head, block: { time, entropy, calls, hash }, ledger })
    return head
  }

  /** The subnet before the calls of the next block. */
  #nextLedger(): Ledger {
    const before = this.#made.at(-1)?.ledger ?? firstLedgerOf(this.#setup)
    return { ...before, block: this.#made.length }
  }

  get #lastTime(): number {
    return this.#made.at(-1)?.block.time ?? 0
  }
}

const badBlock = (number: number, fault: string): ChainError =>
  new ChainError('BadLog', `block ${number} ${fault}`)

/** A block sorts its calls by hotkey and nonce, in whatever order they arrived. */
function byRank(a: Extrinsic, b: Extrinsic): number {
  if (a.hotkey !== b.hotkey) return a.hotkey < b.hotkey ? -1 : 1
  return a.nonce - b.nonce
}

/** Opens the export of a local chain, the file `name`. */
export const openExport: OpenAt = async ({ name, readText }) => {
  const [text] = await Promise.all([readText(name), verifyReady()])
  try {
    return LocalChain.import(text)
  } catch (cause) {
    const { code, detail } = cause as ChainError
    throw new ChainError(code, `${name} is no whole export of a chain: ${detail}`, { cause })
  }
}
