import { canonicalize } from '@affine/prng'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { type Account, verifyReady } from '../account.ts'
import type { Head, OpenAt, Snapshot, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { type BlockView, LocalSubnet, MORTALITY, type SentCall } from './local-subnet.ts'
import {
  blockShape,
  type Extrinsic,
  hashOfBlock,
  hashOfSetup,
  isSigned,
  type LogBlock,
  type LogCall,
  type LogSetup,
  PARAMS,
  type Params,
  readLine,
  setupShape,
  signExtrinsic,
} from './log.ts'
import { apply, firstLedgerOf, type Ledger } from './rules.ts'

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
/** How many heads are given at once. */
const MOST_HEADS = 1000

/** A block, and the subnet at its end. */
interface MadeBlock {
  readonly head: Head
  readonly block: LogBlock
  readonly ledger: Ledger
}

/**
 * One subnet in memory, with subtensor's rules and refusals. It makes a block when `produce` is
 * called, and keeps all blocks. A call that the next block would refuse is refused at once, and is
 * in no block.
 *
 * It has one writer and no consensus: anyone who runs it can stop it or start another one. It is
 * for demos, for tests, and for checking the export of another local chain.
 */
export class LocalChain extends LocalSubnet {
  readonly netuid: number
  readonly #setup: LogSetup
  readonly #made: MadeBlock[] = []
  #random: LocalOptions['random'] | undefined
  readonly #pool: Extrinsic[] = []
  readonly #readers: (() => void)[] = []

  private constructor(setup: LogSetup, random: LocalOptions['random'] | undefined) {
    super()
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
    const [first = '', ...lines] = text.split('\n')
    const chain = new LocalChain(readLine(setupShape, first, 'the first line'), random)
    const last = lines.pop()
    for (const [number, line] of lines.entries())
      chain.#follow(readLine(blockShape, line, `block ${number}`))
    if (last !== '' || lines.length === 0)
      throw new ChainError('BadLog', 'the text does not end with a whole block')
    return chain
  }

  get genesis(): string {
    return this.#made[0]?.head.hash ?? ''
  }

  /** The number of the last block. */
  get height(): number {
    return this.#made.length - 1
  }

  /** The log: a line for what the chain started from, and a line for each block. */
  export(): string {
    return `${canonicalize(this.#setup)}\n${this.exportBlocks(0)}`
  }

  /** The lines of the log for the blocks from number `from` on. */
  exportBlocks(from: number): string {
    const lines = this.#made.slice(from).map(({ block }) => `${canonicalize(block)}\n`)
    return lines.join('')
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

  /** What a hotkey signs its next call for: the height, and a nonce that it has not used. */
  basisOf(hotkey: string): { readonly height: number; readonly nonce: number } {
    const onChain = this.#made.at(-1)?.ledger.nonces.get(hotkey) ?? 0
    const waiting = this.#pool.filter((call) => call.hotkey === hotkey)
    const nonce = Math.max(onChain, ...waiting.map((call) => call.nonce + 1))
    return { height: this.height, nonce }
  }

  async headsFrom(from: number): Promise<readonly Head[]> {
    if (from > this.height) await new Promise<void>((resolve) => this.#readers.push(resolve))
    const end = from < 0 ? undefined : from + MOST_HEADS
    return this.#made.slice(from, end).map(({ head }) => head)
  }

  async block(number: number): Promise<BlockView> {
    const { head, block } = this.#at(number)
    return { head, time: block.time, calls: block.calls.map(({ signature }) => signature) }
  }

  async snapshot(block: number): Promise<Snapshot> {
    const { head, ledger } = this.#at(block)
    const { neurons, params, slots } = ledger
    const commitments = [...slots.values()]
      .map(({ hotkey, block, fields }) => ({ hotkey, block, fields: fields.map(hexToBytes) }))
      .sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
    return { head, tempo: params.tempo, revealPeriod: 0, neurons, commitments }
  }

  async weights(block: number): Promise<Readonly<Record<string, UidWeights>>> {
    return Object.fromEntries(this.#at(block).ledger.weights)
  }

  /**
   * Signs a call and lets it wait, before this returns: the next `produce` includes the call, even
   * if nothing awaits this.
   */
  protected async send(account: Account, call: LogCall, until?: number): Promise<SentCall> {
    const { height, nonce } = this.basisOf(account.hotkey)
    const draft = { nonce, until: until ?? height + MORTALITY, call }
    return { sent: this.submit(signExtrinsic(account, this, draft)), from: height + 1 }
  }

  #at(number: number): MadeBlock {
    const made = this.#made[number]
    if (made) return made
    const detail = `there is no block ${number}: the head is ${this.height}`
    throw new ChainError('UnknownBlock', detail)
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
    const calls = this.#pool.splice(0).sort(byRank)
    this.#make({ time, entropy: bytesToHex(entropy), calls })
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
    return { chain: LocalChain.import(text), goesOn: false, close: async () => {} }
  } catch (cause) {
    const { code, message } = cause as ChainError
    const why = message.slice(code.length)
    throw new ChainError(code, `${name} is no whole export of a chain${why}`, { cause })
  }
}
