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
import { type Clock, SYSTEM_CLOCK } from './clock.ts'
import { ask, type BucketAnswer } from './copy.ts'
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

/** What buckets answered that were asked for one block, by their names: each is asked once. */
type AskedSources = Map<string, Promise<BucketAnswer>>

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
  #checking: Promise<FoundBlock | null> = Promise.resolve(null)

  constructor(wanted: BlockRequest, options: ReaderOptions & { readonly failed: Failed }) {
    this.#wanted = wanted
    this.#options = options
  }

  /** The block, if this source has it, or another had it meanwhile. */
  async readFrom(source: Source): Promise<FoundBlock | null> {
    const asking = ask(source, blockPath(this.#wanted.hash))
    this.#asked.set(source.name, asking)
    const answer = await asking
    this.#checking = this.#checking.then((found) => found ?? this.#check(answer, source.name))
    return this.#checking
  }

  nobody(): EvidenceResult<AuditedBlock> {
    const detail = `nobody has it whole (${this.#tried.sort().join('; ')})`
    return { ok: false, code: 'MISSING_BLOCK', detail }
  }

  async #check(answer: BucketAnswer, from: string): Promise<FoundBlock | null> {
    if (answer === null) return this.#refuse(from, 'not there')
    if (typeof answer === 'string') return this.#fail(from, 'no answer')
    const { keep, check = checkHere } = this.#options
    const bytes = keep === undefined ? answer : answer.slice()
    const block = await check(bytes, this.#wanted)
    // A bad sample was signed by the validator: no other copy is better.
    if (!block.ok && block.code !== 'BAD_SAMPLE') return this.#fail(from, block.code)
    return { block, read: { bytes: answer, from, asked: this.#asked } }
  }

  #fail(from: string, why: string): null {
    this.#options.failed.add(from)
    return this.#refuse(from, why)
  }

  #refuse(from: string, why: string): null {
    this.#tried.push(`${from}: ${why}`)
    return null
  }
}

function failedLast(sources: readonly Source[], failed: Failed): readonly Source[] {
  const hasFailed = ({ name }: Source): boolean => failed.has(name)
  return [...sources.filter((source) => !hasFailed(source)), ...sources.filter(hasFailed)]
}
