import { canonicalize } from '@affine/prng'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { type Account, verifyReady } from '../account.ts'
import type { Chain, ChainEnvs, Head, OpenAt, Snapshot, UidWeights } from '../chain.ts'
import { ChainError, unknownBlockError } from '../chain-error.ts'
import {
  type Extrinsic,
  hashBlock,
  hashSetup,
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
import { apply, createLedger, findOwner, type Ledger } from './rules.ts'

export interface LocalOptions {
  readonly netuid: number
  /**
   * Returns 32 bytes: unpredictable ones or, for a reproducible run with predictable hashes, bytes
   * from a seed.
   */
  readonly random: () => Uint8Array
  /** The time of block 0 in milliseconds. Default: 0. */
  readonly time?: number
  /** The first neurons, by uid. Default: none. */
  readonly neurons?: readonly { readonly hotkey: string; readonly stake: bigint }[]
  /** Hyperparameters other than the defaults in `PARAMS`. */
  readonly params?: Partial<Params>
  /** Default: the environments of the local network. */
  readonly envs?: ChainEnvs | undefined
}

/** Maximum number of calls that wait for the next block. */
const MAX_WAITING = 1024
/** Default number of blocks for which a call may wait, as in Substrate's clients. */
const MORTALITY = 64

interface MadeBlock {
  readonly head: Head
  readonly block: LogBlock
  readonly ledger: Ledger
}

/**
 * One subnet in memory, with subtensor's rules and refusals. It makes a block when `produce` is
 * called, and stores all blocks. A call that the next block would refuse is refused immediately. If
 * a hotkey is evicted while its call waits, the call rejects after the last block in which it was
 * valid.
 *
 * For demos, tests, and checking the export of another local chain: there is no consensus.
 */
export class LocalChain implements Chain {
  readonly netuid: number
  readonly #setup: LogSetup
  readonly #made: MadeBlock[] = []
  #random: LocalOptions['random'] | undefined
  readonly #pool: Extrinsic[] = []
  readonly #readers: (() => void)[] = []
  /** The lowest next nonce of each hotkey that signed here. */
  readonly #nonces = new Map<string, number>()

  protected constructor(setup: LogSetup, random?: LocalOptions['random']) {
    this.netuid = setup.netuid
    this.#setup = setup
    this.#random = random
  }

  /**
   * Creates a chain with block 0.
   * @throws RangeError for options out of range, and for a hotkey that occurs twice.
   */
  static create(options: LocalOptions): LocalChain {
    const { netuid, random, time = 0, neurons = [], params, envs } = options
    const setup: LogSetup = {
      format: 'affine-chain/1',
      netuid,
      params: { ...PARAMS, ...params },
      neurons: neurons.map(({ hotkey, stake }) => ({ hotkey, stake: `${stake}` })),
      ...(envs && { envs }),
    }
    if (setupShape(setup) !== undefined)
      throw new RangeError('"netuid", "neurons", "params" or "envs" is out of range')
    const chain = new LocalChain(setup, random)
    chain.#extend(time)
    return chain
  }

  /**
   * Returns the chain of an export, after checking each block: the log follows the rules, and the
   * hotkeys signed its calls. The log may be incomplete, or one of several: compare its genesis and
   * head with trusted ones. `random` is needed only to make more blocks. Await `verifyReady` first:
   * otherwise, verifying many signatures takes long.
   * @throws ChainError `BadLog`, with the line or block and the fault, for any text that `export`
   *   would not write.
   */
  static import(text: string, random?: LocalOptions['random']): LocalChain {
    const log = readLog(text)
    const chain = new LocalChain(log.setup, random)
    chain.follow(log, 0)
    return chain
  }

  get genesis(): string {
    return this.#made[0]?.head.hash ?? ''
  }

  get envs(): ChainEnvs | undefined {
    return this.#setup.envs
  }

  /** Number of the last block. */
  get height(): number {
    return this.#made.length - 1
  }

  /**
   * Returns the log, or a part of it: the setup's line, and the lines of the blocks `from` to
   * `end - 1`.
   */
  export(from = 0, end?: number): string {
    const entries = [this.#setup, ...this.#made.slice(from, end).map(({ block }) => block)]
    return entries.map((entry) => `${canonicalize(entry)}\n`).join('')
  }

  /**
   * Makes the next block from all waiting calls, regardless of the order of their arrival, at
   * `time` in milliseconds. Resolves with the new head.
   * @throws RangeError, as a rejection, if `time` is not an integer or is before the last block's;
   *   TypeError if there is no `random`.
   */
  async produce(time: number): Promise<Head> {
    this.#extend(time)
    for (const wake of this.#readers.splice(0)) wake()
    return this.head()
  }

  /**
   * Adds a call that was signed elsewhere to the calls that wait for the next block, and returns
   * it. First tries a block of this call, the waiting calls of its hotkey, and all waiting
   * registrations.
   * @throws ChainError `BadProof` for a wrong signature; `ExhaustsResources` if 1024 calls wait;
   *   the first refusal, by its name, of a call in the tried block.
   */
  submit(extrinsic: Extrinsic): Extrinsic {
    if (!isSigned(this, extrinsic)) throw new ChainError('BadProof')
    if (this.#pool.length >= MAX_WAITING) throw new ChainError('ExhaustsResources')
    const isRelated = ({ hotkey, call }: Extrinsic) =>
      hotkey === extrinsic.hotkey || 'register' in call
    const calls = [...this.#pool.filter(isRelated), extrinsic].sort(compareRank)
    const ledger = this.#nextLedger()
    for (const call of calls) {
      const refusal = apply(ledger, call)
      if (refusal !== null) throw new ChainError(refusal)
    }
    this.#pool.push(extrinsic)
    return extrinsic
  }

  async *heads(signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    if (signal?.aborted) return
    const aborted = new Promise((resolve) =>
      signal?.addEventListener('abort', resolve, { once: true }),
    )
    const wait = (block: number) => Promise.race([this.reach(block, signal), aborted])
    await wait(this.height)
    let next = this.height
    while (!signal?.aborted) {
      if (next > this.height) await wait(next)
      else yield (await this.#at(next++)).head
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
    const owner = findOwner(ledger)?.hotkey
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
   * Registers the account's hotkey without stake. On a full subnet, it replaces another neuron.
   * Resolves with the block that contains the call.
   */
  async register(account: Account): Promise<Head> {
    return this.#call(account, { register: true })
  }

  /**
   * Resolves when the block exists, and at the latest when the next block is made. A remote chain
   * also resolves after a timeout and, with a signal, retries an unreachable server until the
   * signal aborts.
   */
  protected async reach(block: number, _signal?: AbortSignal): Promise<void> {
    if (block > this.height) await new Promise<void>((resolve) => this.#readers.push(resolve))
  }

  /** Submits the call that `sign` returns, synchronously: the next `produce` includes the call. */
  protected async send(sign: () => Extrinsic): Promise<Extrinsic> {
    return this.submit(sign())
  }

  /**
   * Adds the blocks of a log, whose first block has the number `from`. Blocks that this chain
   * already has must be identical. If the log has no blocks, `from` must be above 0 and `height`.
   * @throws ChainError `BadLog`, with the block and the fault.
   */
  protected follow({ setup, blocks }: Log, from: number): void {
    if (canonicalize(setup) !== canonicalize(this.#setup))
      throw new ChainError('BadLog', 'the first line of the log has changed')
    if (blocks.length === 0 && from <= Math.max(0, this.height))
      throw new ChainError('BadLog', `the log lacks block ${from}`)
    for (const [i, block] of blocks.entries()) {
      const known = this.#made[from + i]?.head
      if (known === undefined) this.#follow(block)
      else if (known.hash !== block.hash) throw badBlockError(from + i, 'has changed')
    }
  }

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
    throw unknownBlockError(number, this.height)
  }

  #extend(time: number): void {
    if (!this.#random)
      throw new TypeError('"random" is needed to make blocks: pass it to LocalChain.import')
    const minTime = this.#lastTime
    if (!Number.isSafeInteger(time) || time < minTime)
      throw new RangeError(`"time" expected an integer from ${minTime} on, got ${time}`)
    const entropy = bytesToHex(this.#random())
    const ledger = this.#nextLedger()
    const calls = this.#pool.splice(0).sort(compareRank)
    // A registration in this block may have evicted the hotkey of another waiting call.
    const applied = calls.filter((call) => apply(ledger, call) === null)
    const draft = { time, entropy, calls: applied }
    this.#add({ ...draft, hash: this.#hashNext(draft) }, ledger)
  }

  #follow(block: LogBlock): void {
    const ledger = this.#nextLedger()
    const fail = (fault: string) => badBlockError(ledger.block, fault)
    if (block.time < this.#lastTime) throw fail('is older than its parent')
    for (const [i, call] of block.calls.entries()) {
      if (!isSigned(this, call)) throw fail(`has a bad signature on call ${i}`)
      const refusal = apply(ledger, call)
      if (refusal !== null) throw fail(`has a refused call, number ${i}: ${refusal}`)
    }
    if (this.#hashNext(block) !== block.hash) throw fail('does not match its hash')
    this.#add(block, ledger)
  }

  #add(block: LogBlock, ledger: Ledger): void {
    this.#made.push({ head: { number: ledger.block, hash: block.hash }, block, ledger })
  }

  #hashNext(draft: Omit<LogBlock, 'hash'>): string {
    return hashBlock(this.#made.at(-1)?.head.hash ?? hashSetup(this.#setup), draft)
  }

  /** Returns the subnet before the calls of the next block. */
  #nextLedger(): Ledger {
    const before = this.#made.at(-1)?.ledger ?? createLedger(this.#setup)
    return { ...before, block: this.#made.length }
  }

  get #lastTime(): number {
    return this.#made.at(-1)?.block.time ?? 0
  }
}

const badBlockError = (number: number, fault: string): ChainError =>
  new ChainError('BadLog', `block ${number} ${fault}`)

/** Compares calls by hotkey, then by nonce: their order in a block. */
function compareRank(a: Extrinsic, b: Extrinsic): number {
  if (a.hotkey !== b.hotkey) return a.hotkey < b.hotkey ? -1 : 1
  return a.nonce - b.nonce
}

/** Opens the file `name`, an export of a local chain. */
export const openExport: OpenAt = async (name, { readText }) => {
  const [text] = await Promise.all([readText(name), verifyReady()])
  try {
    return LocalChain.import(text)
  } catch (cause) {
    const { code, detail } = cause as ChainError
    throw new ChainError(code, `${name} is not the complete export of a chain: ${detail}`, {
      cause,
    })
  }
}
