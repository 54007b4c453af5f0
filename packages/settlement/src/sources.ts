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
import type { Hash } from '@affine/prng'
import { ask, type BucketAnswer } from './copy.ts'

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

/** Is handed every block that was read, its bytes, and the name of the source that had it. */
export type Keep = (block: LaneBlock, bytes: Uint8Array, from: string) => Promise<void>

/** Is told what a source answered that did not have the block of this hash whole. */
export type Refuse = (from: string, answer: BucketAnswer, hash: Hash) => void

/** The names of the buckets that failed in an epoch: silent, slow, or with bytes that are wrong. */
export type Failed = Set<string>

export interface ReaderOptions {
  readonly sources: readonly Source[]
  readonly keep?: Keep
  /** Only where blocks are kept. */
  readonly refuse?: Refuse
  readonly failed?: Failed
  readonly check?: CheckBlock | undefined
}

/**
 * A reader that takes each block from the first source with an authentic copy, and hands it to
 * `keep`. Whoever failed once is asked last from then on, by all readers that share `failed`. When
 * no source has a block, the fault is `MISSING_BLOCK` and says what each of them had.
 * Protocol §6.4.
 */
export function sourceReader({
  sources,
  keep,
  refuse,
  failed = new Set(),
  check = checkHere,
}: ReaderOptions): LaneRequest['read'] {
  const checkAndKeep = async (
    bytes: Uint8Array,
    wanted: BlockRequest,
    from: string,
  ): Promise<EvidenceResult<AuditedBlock>> => {
    if (keep === undefined) return check(bytes, wanted)
    const block = await check(bytes.slice(), wanted)
    if (block.ok) await keep(block.value, bytes, from)
    return block
  }
  /** The block as one source has it, or why this source's answer is not the block. */
  const readFrom = async (
    source: Source,
    wanted: BlockRequest,
  ): Promise<EvidenceResult<AuditedBlock> | string> => {
    const answer = await ask(source, blockPath(wanted.hash))
    const refuseFor = (why: string): string => {
      if (answer !== null) failed.add(source.name)
      if (keep) refuse?.(source.name, answer, wanted.hash)
      return why
    }
    if (answer === null) return refuseFor('not there')
    if (typeof answer === 'string') return refuseFor(answer)
    const block = await checkAndKeep(answer, wanted, source.name)
    // A bad sample was signed by the validator: no other copy is better.
    return block.ok || block.code === 'BAD_SAMPLE' ? block : refuseFor(block.code)
  }
  return async (wanted) => {
    const tried: string[] = []
    for (const source of failedLast(sources, failed)) {
      const block = await readFrom(source, wanted)
      if (typeof block !== 'string') return block
      tried.push(`${source.name}: ${block}`)
    }
    const detail = `nobody has it whole (${tried.sort().join('; ')})`
    return { ok: false, code: 'MISSING_BLOCK', detail }
  }
}

function failedLast(sources: readonly Source[], failed: Failed): readonly Source[] {
  const hasFailed = ({ name }: Source): boolean => failed.has(name)
  return [...sources.filter((source) => !hasFailed(source)), ...sources.filter(hasFailed)]
}
