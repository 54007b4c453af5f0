import {
  type AuditedBlock,
  type BlockRequest,
  type Bucket,
  blockPath,
  checkBlock,
  type EvidenceResult,
  type LaneRequest,
  LIMITS,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { State } from '@affine/duel'
import pLimit from 'p-limit'
import { tryRead, type BucketAnswer, type Copy, classifyCopy, failureText, classifyOther, SAME } from './copy.ts'
import { inTurn } from './in-turn.ts'
import type { Holder } from './on-chain.ts'
import { BucketTimes, type WaitingOptions, type Waits } from './waiting.ts'

/** A bucket that can be read, under the name that faults give it. */
export type Source = Pick<Bucket, 'read'> & { readonly name: string }

/** Opens the bucket that a validator announced; null when it may not be opened. */
export type OpenBucket = (hotkey: string, url: string) => Source | null

/** Reads and audits a block: `checkBlock`, here, or in a thread that takes the bytes away. */
export type CheckBlock = (
  bytes: Uint8Array,
  wanted: BlockRequest,
) => EvidenceResult<AuditedBlock> | Promise<EvidenceResult<AuditedBlock>>

/** In this thread. */
export const checkHere: CheckBlock = (bytes, wanted) => checkBlock(bytes, { ...wanted, verify })

/** So many blocks are read, checked and kept at a time, of up to 8 MiB each. */
export const BLOCKS_AT_ONCE = 32

interface ReaderOptions extends WaitingOptions {
  readonly openBucket: OpenBucket
  /** Audits blocks; without, it is done in this thread. */
  readonly check?: CheckBlock | undefined
}

/** Where the blocks of a lane are looked for. */
export interface BlockPlaces {
  /** Asked first, and waited for without limit: the reader's own. */
  readonly sources?: readonly Source[]
  /** The validators that may have the lane, in the order in which to ask. */
  readonly holders?: readonly Holder[]
  /** Ends what is read from holders. */
  readonly deadline?: AbortSignal
  /** Is handed every block that holds, before the next one is read. */
  readonly keep?: (found: FoundBlock) => Promise<void>
}

/** A block that was read, and how. */
export interface FoundBlock {
  readonly block: Pick<AuditedBlock, 'hash' | 'header'>
  readonly bytes: Uint8Array
  /** The name of the source that had it. */
  readonly from: string
  /**
   * What each source has that was asked for it, by name. Not the bytes of their answers: there may
   * be many, of 8 MiB each.
   */
  readonly asked: ReadonlyMap<string, Promise<Copy>>
}

/**
 * Reads blocks from the buckets of validators, in an epoch or in a whole history, for which each
 * bucket is waited for 90 seconds in all: `BucketTimes` has the rule. Protocol §6.4.
 */
export class BucketReader {
  /** The names of buckets that failed in this epoch: silent, slow, or with bytes that are wrong. */
  readonly failed: Set<string> = new Set()
  readonly #options: ReaderOptions
  readonly #times: BucketTimes
  readonly #blocks = pLimit(BLOCKS_AT_ONCE)
  /** The epoch that was begun last. */
  #epoch: number | undefined

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#times = new BucketTimes(options)
  }

  /**
   * Begins the epoch that a state governs: no bucket has failed in it. Does nothing if it was begun
   * last: an epoch may be tried again.
   */
  beginEpoch({ epoch, voters }: Pick<State, 'epoch' | 'voters'>): void {
    if (epoch === this.#epoch) return
    this.#epoch = epoch
    this.failed.clear()
    this.#times.setWeights(voters)
  }

  /** The hotkeys whose buckets are not waited for any longer. */
  get lost(): ReadonlySet<string> {
    return this.#times.lost
  }

  get waits(): Waits {
    return this.#times.waits
  }

  /**
   * The bucket that a validator announced; null when it may not be opened. A read rejects once the
   * bucket was waited for long enough, and at the deadline.
   */
  open(hotkey: string, url: string, deadline?: AbortSignal): Source | null {
    const bucket = this.#options.openBucket(hotkey, url)
    if (bucket === null) return null
    const read: Source['read'] = (path, limit) =>
      this.#times.readWithin(hotkey, () => bucket.read(path, limit), deadline)
    return { name: bucket.name, read }
  }

  /**
   * A reader for `verifyLane` that takes each block from the first place with an authentic copy.
   * The next one is asked as soon as one does not have it, or has not answered for two seconds. One
   * that failed once is asked last for the rest of the epoch. When nobody has a block, the fault is
   * `MISSING_BLOCK` and says what each of them had. Protocol §6.4.
   */
  blocks({ sources = [], holders = [], deadline, keep }: BlockPlaces): LaneRequest['read'] {
    const opened = holders.flatMap(({ hotkey, url }) => this.open(hotkey, url, deadline) ?? [])
    const all = [...sources, ...opened]
    const { failed } = this
    const { check = checkHere, clock } = this.#options
    const find: LaneRequest['read'] = async (wanted) => {
      const search = new BlockSearch(wanted, { failed, check, isKept: keep !== undefined })
      const hasFailed = ({ name }: Source): boolean => failed.has(name)
      const inOrder = [...all.filter((each) => !hasFailed(each)), ...all.filter(hasFailed)]
      const found = await inTurn(inOrder, {
        ask: (source) => search.readFrom(source),
        onLate: ({ name }) => failed.add(name),
        clock,
      })
      if (found === null) return search.describeMissing()
      // To keep it is not the time that its source took.
      await keep?.({ ...found, asked: search.asked })
      return { ok: true, value: found.block }
    }
    return (wanted) => this.#blocks(find, wanted)
  }
}

interface SearchOptions {
  readonly failed: Set<string>
  readonly check: CheckBlock
  readonly isKept: boolean
}

/** A block as far as it holds, and which source had it. */
type FoundCopy = Omit<FoundBlock, 'asked'> & { readonly block: AuditedBlock }

/** One block that is looked for. */
class BlockSearch {
  readonly asked = new Map<string, Promise<Copy>>()
  readonly #wanted: BlockRequest
  readonly #options: SearchOptions
  /** Why sources do not have it. */
  readonly #tried: string[] = []
  /** Answers are checked one after the other, and none once the block was found. */
  readonly #oneByOne = pLimit(1)
  #found: FoundCopy | null = null

  constructor(wanted: BlockRequest, options: SearchOptions) {
    this.#wanted = wanted
    this.#options = options
  }

  /** The block, if this source has it, or another had it meanwhile. */
  async readFrom(source: Source): Promise<FoundCopy | null> {
    const { name } = source
    const copy = tryRead(source, blockPath(this.#wanted.hash), LIMITS.blockBytes).then((answer) =>
      this.#oneByOne(() => this.#copyIn(answer, name)),
    )
    this.asked.set(name, copy)
    await copy
    return this.#found
  }

  describeMissing(): EvidenceResult<AuditedBlock> {
    const detail = `nobody has it whole (${this.#tried.sort().join('; ')})`
    return { ok: false, code: 'MISSING_BLOCK', detail }
  }

  async #copyIn(answer: BucketAnswer, from: string): Promise<Copy> {
    const bytes = this.#found?.bytes
    if (bytes === undefined) {
      if (answer instanceof Uint8Array) return this.#check(answer, from)
      if (answer === null) this.#tried.push(`${from}: not there`)
      else this.#fail(from, failureText(answer))
    }
    return classifyCopy(answer, { hash: this.#wanted.hash, bytes })
  }

  async #check(bytes: Uint8Array, from: string): Promise<Copy> {
    const { check, isKept } = this.#options
    const block = await check(isKept ? bytes.slice() : bytes, this.#wanted)
    if (!block.ok) {
      this.#fail(from, block.code)
      return classifyOther(bytes, block.code)
    }
    this.#found = { block: block.value, bytes, from }
    return SAME
  }

  #fail(from: string, why: string): void {
    this.#options.failed.add(from)
    this.#tried.push(`${from}: ${why}`)
  }
}
