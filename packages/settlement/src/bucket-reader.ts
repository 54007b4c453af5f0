import {
  type AuditedBlock,
  type BlockRequest,
  blockPath,
  checkBlock,
  type EvidenceResult,
  isOnlyOfCopy,
  type LaneRequest,
  LIMITS,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { State } from '@affine/duel'
import pLimit from 'p-limit'
import {
  type BucketAnswer,
  type Copy,
  classifyCopy,
  classifyOther,
  describeFailure,
  type FoundBlock,
  SAME,
  type Source,
  tryRead,
} from './copies.ts'
import type { Holder } from './on-chain.ts'
import { askInTurn, BucketTimes, type WaitingOptions } from './waiting.ts'

/** Opens the bucket that a validator announced. Null if the bucket must not be opened. */
export type OpenBucket = (hotkey: string, url: string) => Source | null

/** Reads and audits a block as `checkBlock` does. May transfer the bytes to another thread. */
export type CheckBlock = (
  bytes: Uint8Array,
  wanted: BlockRequest,
) => EvidenceResult<AuditedBlock> | Promise<EvidenceResult<AuditedBlock>>

/** Audits a block in this thread. */
export const checkHere: CheckBlock = (bytes, wanted) => checkBlock(bytes, { ...wanted, verify })

/** Maximum blocks read, checked and passed to `keep` concurrently: each may have 8 MiB. */
export const BLOCKS_AT_ONCE = 32

interface ReaderOptions extends WaitingOptions {
  readonly openBucket: OpenBucket
  /** Default: audits blocks in this thread. */
  readonly check?: CheckBlock | undefined
}

export interface BlockPlaces {
  /** Buckets read first and without a time limit. */
  readonly sources?: readonly Source[]
  /** Validators that may have the lane, in reading order. */
  readonly holders?: readonly Holder[]
  /** Aborts the reads from holders. */
  readonly deadline?: AbortSignal
  /** Called with every authentic block before the next one is read. */
  readonly keep?: (found: FoundBlock) => Promise<void>
}

/**
 * Reads blocks from given sources, then from the buckets that validators announced. `BucketTimes`
 * drops an announced bucket that exceeds its allowance of time. Protocol §6.4.
 */
export class BucketReader {
  /** Names of buckets that failed in this epoch: silent, slow, or with wrong bytes. */
  readonly failed: Set<string> = new Set()
  readonly times: BucketTimes
  readonly #options: ReaderOptions
  readonly #blocks = pLimit(BLOCKS_AT_ONCE)
  #epoch: number | undefined

  constructor(options: ReaderOptions) {
    this.#options = options
    this.times = new BucketTimes(options)
  }

  /**
   * Begins the epoch that a state governs: forgets which buckets failed, and sets the weights of
   * `times`. Does nothing if this epoch was the last to begin.
   */
  beginEpoch({ epoch, voters }: Pick<State, 'epoch' | 'voters'>): void {
    if (epoch === this.#epoch) return
    this.#epoch = epoch
    this.failed.clear()
    this.times.weights = voters
  }

  /**
   * Opens a bucket as `openBucket` does. Its reads reject once the bucket was too slow, and at the
   * deadline.
   */
  open(hotkey: string, url: string, deadline?: AbortSignal): Source | null {
    const bucket = this.#options.openBucket(hotkey, url)
    if (bucket === null) return null
    const read: Source['read'] = (path, limit) =>
      this.times.readWithin(hotkey, () => bucket.read(path, limit), deadline)
    return { name: bucket.name, read }
  }

  /**
   * Returns a reader for `verifyLane` that takes each block from the first place with an authentic
   * copy. Queries the next place once a place does not have the block, or has not answered for two
   * seconds. A bucket that failed is queried last for the rest of the epoch. If no place has a
   * block, the fault is `MISSING_BLOCK`, with the answers of all places. A fault of the block's
   * validator is in every copy, so the first copy with such a fault ends the search. Protocol §6.4,
   * §6.5.
   */
  blocks({ sources = [], holders = [], deadline, keep }: BlockPlaces): LaneRequest['read'] {
    const opened = holders.flatMap(({ hotkey, url }) => this.open(hotkey, url, deadline) ?? [])
    const all = [...sources, ...opened]
    const { failed } = this
    const { check = checkHere, clock } = this.#options
    // `check` may transfer the bytes to another thread, and `keep` needs them.
    const checkCopy: CheckBlock = (bytes, wanted) => check(keep ? bytes.slice() : bytes, wanted)
    const find: LaneRequest['read'] = async (wanted) => {
      const search = new BlockSearch(wanted, failed, checkCopy)
      const hasFailed = ({ name }: Source): boolean => failed.has(name)
      const inOrder = [...all.filter((each) => !hasFailed(each)), ...all.filter(hasFailed)]
      const found = await askInTurn(inOrder, {
        ask: (source) => search.readFrom(source),
        onLate: ({ name }) => failed.add(name),
        clock,
      })
      if (found === null) return search.describeMissing()
      if ('code' in found) return found
      // `keep` runs after the search, so no bucket counts as late because of its duration.
      await keep?.({ ...found, asked: search.asked })
      return { ok: true, value: found.block }
    }
    return (wanted) => this.#blocks(find, wanted)
  }
}

/** An authentic block, audited up to its first fault, with its bytes and its source. */
type FoundCopy = Omit<FoundBlock, 'asked'> & { readonly block: AuditedBlock }

/** A fault that every copy of a block has, or `MISSING_BLOCK` if no authentic copy was found. */
type BlockFailure = Extract<EvidenceResult<never>, { ok: false }>

class BlockSearch {
  readonly asked = new Map<string, Promise<Copy>>()
  readonly #wanted: BlockRequest
  readonly #failed: Set<string>
  readonly #check: CheckBlock
  /** Reasons why the queried sources did not provide the block. */
  readonly #tried: string[] = []
  /** Answers are checked one at a time, until the block is found. */
  readonly #oneByOne = pLimit(1)
  /** The block, or a fault that is in every copy of it. */
  #found: FoundCopy | BlockFailure | null = null

  constructor(wanted: BlockRequest, failed: Set<string>, check: CheckBlock) {
    this.#wanted = wanted
    this.#failed = failed
    this.#check = check
  }

  /**
   * Resolves once the source has answered: with the block or its validator's fault, or with null if
   * neither this source nor an earlier one has the block.
   */
  async readFrom(source: Source): Promise<FoundCopy | BlockFailure | null> {
    const { name } = source
    const copy = tryRead(source, blockPath(this.#wanted.hash), LIMITS.blockBytes).then((answer) =>
      this.#oneByOne(() => this.#copyIn(answer, name)),
    )
    this.asked.set(name, copy)
    await copy
    return this.#found
  }

  describeMissing(): BlockFailure {
    const detail = `no bucket has a valid copy (${this.#tried.sort().join('; ')})`
    return { ok: false, code: 'MISSING_BLOCK', detail }
  }

  async #copyIn(answer: BucketAnswer, from: string): Promise<Copy> {
    const found = this.#found
    if (found === null) {
      if (answer instanceof Uint8Array) return this.#checkCopy(answer, from)
      if (answer === null) this.#tried.push(`${from}: file not found`)
      else this.#fail(from, describeFailure(answer))
    }
    const bytes = found !== null && 'bytes' in found ? found.bytes : undefined
    return classifyCopy(answer, { hash: this.#wanted.hash, bytes })
  }

  async #checkCopy(bytes: Uint8Array, from: string): Promise<Copy> {
    const block = await this.#check(bytes, this.#wanted)
    if (block.ok) {
      this.#found = { block: block.value, bytes, from }
      return SAME
    }
    if (isOnlyOfCopy(block.code)) this.#fail(from, block.code)
    else this.#found = block
    return classifyOther(bytes, block.code)
  }

  #fail(from: string, why: string): void {
    this.#failed.add(from)
    this.#tried.push(`${from}: ${why}`)
  }
}
