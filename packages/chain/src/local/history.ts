import type { Head } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import {
  type Extrinsic,
  hashOf,
  inOrder,
  isSigned,
  type Log,
  type LogBlock,
  type LogSetup,
} from './log.ts'
import { apply, firstLedgerOf, type Ledger } from './rules.ts'

/** What a block is made of. */
interface LocalBlockDraft {
  readonly time: number
  readonly entropy: string
  readonly extrinsics: readonly Extrinsic[]
}

/** A block, and the subnet at its end. */
export interface MadeBlock {
  readonly head: Head
  readonly block: LogBlock
  readonly ledger: Ledger
}

/** The blocks of a log, each made again by the rules, with the subnet at its end. */
export class ChainHistory {
  readonly #setup: LogSetup
  readonly #made: MadeBlock[] = []

  /** @throws ChainError `BadLog`, as `follow` does. */
  constructor({ format, netuid, params, neurons, blocks }: Log) {
    // Hashes cover texts: keys have this order, whatever the log's is.
    const { tempo, maxValidators, stakeThreshold, weightsRateLimit, commitmentBytes } = params
    this.#setup = {
      format,
      netuid,
      params: { tempo, maxValidators, stakeThreshold, weightsRateLimit, commitmentBytes },
      neurons: neurons.map(({ hotkey, stake }) => ({ hotkey, stake })),
    }
    this.follow(blocks, 0)
  }

  get genesis(): string {
    return this.#made[0]?.head.hash ?? ''
  }

  get netuid(): number {
    return this.#setup.netuid
  }

  /** The number of the last block; -1 before there is one. */
  get height(): number {
    return this.#made.length - 1
  }

  get last(): MadeBlock | undefined {
    return this.#made.at(-1)
  }

  /** The time of the last block, in milliseconds; 0 before there is one. */
  get lastTime(): number {
    return this.last?.block.time ?? 0
  }

  at(number: number): MadeBlock | undefined {
    return this.#made[number]
  }

  /** The log as one JSON text, with its blocks from number `from` on. */
  export(from: number): string {
    const blocks = this.#made.slice(from).map(({ block }) => block)
    return JSON.stringify({ ...this.#setup, blocks })
  }

  /**
   * The text that `export` gives now, in pieces. A piece has at most one call: a block may hold
   * thousands.
   */
  *pieces(from: number): Generator<string, void, undefined> {
    const { height } = this
    yield JSON.stringify({ ...this.#setup, blocks: [] }).slice(0, -']}'.length)
    for (let number = from; number <= height; number++) {
      if (number > from) yield ','
      yield* piecesOf(this.#made[number] as MadeBlock)
    }
    yield ']}'
  }

  /**
   * Adds a log's blocks, the first of which has the number `from`. Blocks that are here already
   * must be the same.
   * @throws ChainError `BadLog`, naming the block and what is wrong with it.
   */
  follow(blocks: readonly LogBlock[], from: number): void {
    for (const [i, block] of blocks.entries()) {
      const number = from + i
      const known = this.#made[number]
      if (known === undefined) this.#made.push(this.#remake(number, block))
      else if (known.head.hash !== block.hash)
        throw badBlock(number, 'differs from the one read before')
    }
  }

  /** The subnet before the calls of the next block. */
  nextLedger(): Ledger {
    return { ...(this.last?.ledger ?? firstLedgerOf(this.#setup)), block: this.height + 1 }
  }

  /** Makes the next block from a draft. */
  extend(draft: LocalBlockDraft): void {
    this.#made.push(this.#make(draft))
  }

  #make({ time, entropy, extrinsics }: LocalBlockDraft): MadeBlock {
    const { last } = this
    const number = this.height + 1
    const ledger = this.nextLedger()
    const calls = extrinsics.map(
      (extrinsic) => [inOrder(extrinsic), apply(ledger, extrinsic) ?? ''] as const,
    )
    const parentHash = last?.head.hash ?? hashOf(this.#setup)
    const hash = hashOf([parentHash, time, entropy, calls])
    return { head: { number, hash }, block: { time, entropy, calls, hash }, ledger }
  }

  /** Makes a logged block again, and checks that it is the same. */
  #remake(number: number, { time, entropy, calls, hash }: LogBlock): MadeBlock {
    if (time < this.lastTime) throw badBlock(number, 'is older than its parent')
    for (const [i, [extrinsic]] of calls.entries())
      if (!isSigned(this, extrinsic)) throw badBlock(number, `has a bad signature on call ${i}`)
    const extrinsics = calls.map(([extrinsic]) => extrinsic)
    const made = this.#make({ time, entropy, extrinsics })
    if (made.head.hash !== hash) throw badBlock(number, 'does not match its hash')
    return made
  }
}

function* piecesOf({ block }: MadeBlock): Generator<string, void, undefined> {
  const { time, entropy, calls, hash } = block
  yield `{"time":${time},"entropy":"${entropy}","calls":[`
  for (const [i, call] of calls.entries()) yield (i > 0 ? ',' : '') + JSON.stringify(call)
  yield `],"hash":"${hash}"}`
}

const badBlock = (number: number, fault: string): ChainError =>
  new ChainError('BadLog', `block ${number} ${fault}`)
