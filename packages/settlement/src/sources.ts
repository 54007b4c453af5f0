import {
  type AuditedBlock,
  type BlockRequest,
  type Bucket,
  blockPath,
  checkBlock,
  type EvidenceResult,
  type LaneRequest,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import pLimit from 'p-limit'
import { type Clock, SYSTEM_CLOCK } from './clock.ts'
import { ask, type BucketAnswer, type Copy, copyOf, otherCopy, SAME } from './copy.ts'
import { inTurn } from './in-turn.ts'

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

/** A block that was read. */
export type LaneBlock = Pick<AuditedBlock, 'hash' | 'header'>

/**
 * What buckets have that were asked for one block, by their names: each is asked once. Not the
 * bytes of their answers: there may be many, of 8 MiB each.
 */
type AskedSources = Map<string, Promise<Copy>>

/** Is handed every block that was read. */
export type Keep = (block: LaneBlock, read: ReadBlock) => Promise<void>

/** How a block was read. */
export interface ReadBlock {
  readonly bytes: Uint8Array
  /** The name of the source that had it. */
  readonly from: string
  readonly asked: AskedSources
}

/** The names of the buckets that failed in an epoch: silent, slow, or with bytes that are wrong. */
export type Failed = Set<string>

export interface ReaderOptions {
  readonly sources: readonly Source[]
  readonly keep?: Keep
  readonly failed?: Failed
  readonly check?: CheckBlock | undefined
  readonly clock?: Clock | undefined
}

/**
 * A reader that takes each block from the first source with an authentic copy, and hands it to
 * `keep`. The next source is asked as soon as one does not have it, or has not answered for two
 * seconds. One that failed once is asked last from then on, by all readers that share `failed`.
 * When no source has a block, the fault is `MISSING_BLOCK` and says what each of them had.
 * Protocol §6.4.
 */
export function sourceReader(options: ReaderOptions): LaneRequest['read'] {
  const { sources, failed = new Set(), clock = SYSTEM_CLOCK } = options
  return async (wanted) => {
    const search = new BlockSearch(wanted, { ...options, failed })
    const found = await inTurn(failedLast(sources, failed), {
      ask: (source) => search.readFrom(source),
      onLate: ({ name }) => failed.add(name),
      clock,
    })
    if (found === null) return search.nobody()
    // To keep it is not the time that its source took.
    if (found.block.ok) await options.keep?.(found.block.value, found.read)
    return found.block
  }
}

/** A block, as far as it holds, and how it was read. */
interface FoundBlock {
  readonly block: EvidenceResult<AuditedBlock>
  readonly read: ReadBlock
}

/** One block that is looked for. */
class BlockSearch {
  readonly #wanted: BlockRequest
  readonly #options: ReaderOptions & { readonly failed: Failed }
  readonly #asked: AskedSources = new Map()
  /** Why sources do not have it. */
  readonly #tried: string[] = []
  /** Answers are checked one after the other, and none once the block was found. */
  readonly #oneByOne = pLimit(1)
  #found: FoundBlock | null = null

  constructor(wanted: BlockRequest, options: ReaderOptions & { readonly failed: Failed }) {
    this.#wanted = wanted
    this.#options = options
  }

  /** The block, if this source has it, or another had it meanwhile. */
  async readFrom(source: Source): Promise<FoundBlock | null> {
    const { name } = source
    const copy = ask(source, blockPath(this.#wanted.hash)).then((answer) =>
      this.#oneByOne(() => this.#copyIn(answer, name)),
    )
    this.#asked.set(name, copy)
    await copy
    return this.#found
  }

  nobody(): EvidenceResult<AuditedBlock> {
    const detail = `nobody has it whole (${this.#tried.sort().join('; ')})`
    return { ok: false, code: 'MISSING_BLOCK', detail }
  }

  async #copyIn(answer: BucketAnswer, from: string): Promise<Copy> {
    const bytes = this.#found?.read.bytes
    if (bytes === undefined) {
      if (answer instanceof Uint8Array) return this.#check(answer, from)
      if (answer === null) this.#tried.push(`${from}: not there`)
      else this.#fail(from, 'no answer')
    }
    return copyOf(answer, { hash: this.#wanted.hash, bytes })
  }

  async #check(answer: Uint8Array, from: string): Promise<Copy> {
    const { keep, check = checkHere } = this.#options
    const bytes = keep === undefined ? answer : answer.slice()
    const block = await check(bytes, this.#wanted)
    // A bad sample was signed by the validator: no other copy is better.
    if (!block.ok && block.code !== 'BAD_SAMPLE') {
      this.#fail(from, block.code)
      return otherCopy(answer, block.code)
    }
    this.#found = { block, read: { bytes: answer, from, asked: this.#asked } }
    return SAME
  }

  #fail(from: string, why: string): void {
    this.#options.failed.add(from)
    this.#tried.push(`${from}: ${why}`)
  }
}

function failedLast(sources: readonly Source[], failed: Failed): readonly Source[] {
  const hasFailed = ({ name }: Source): boolean => failed.has(name)
  return [...sources.filter((source) => !hasFailed(source)), ...sources.filter(hasFailed)]
}
