import {
  type AuditedBlock,
  type BlockRequest,
  type Bucket,
  blockPath,
  checkBlock,
  type LaneRequest,
  LIMITS,
  type Read,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { Hash } from '@affine/prng'

/** A bucket that can be read, under the name that faults give it. */
export type Source = Pick<Bucket, 'read'> & { readonly name: string }

/** Opens the bucket that a validator announced; null when it may not be opened. */
export type OpenBucket = (hotkey: string, url: string) => Source | null

/** Reads and audits a block: `checkBlock`, here, or in a thread that takes the bytes away. */
export type CheckBlock = (
  bytes: Uint8Array,
  wanted: BlockRequest,
) => Read<AuditedBlock> | Promise<Read<AuditedBlock>>

/** In this thread. */
export const checkHere: CheckBlock = (bytes, wanted) => checkBlock(bytes, { ...wanted, verify })

/** A block that was read. */
export type Kept = Pick<AuditedBlock, 'hash' | 'header'>

/** Is handed every block that was read, its bytes, and the name of the source that had it. */
export type Keep = (block: Kept, bytes: Uint8Array, from: string) => Promise<void>

/** The names of the buckets that failed in an epoch: silent, slow, or with bytes that are wrong. */
export type Failed = Set<string>

export interface Reading {
  readonly sources: readonly Source[]
  readonly keep?: Keep
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
  failed = new Set(),
  check = checkHere,
}: Reading): LaneRequest['read'] {
  const checkAndKeep = async (
    bytes: Uint8Array,
    wanted: BlockRequest,
    from: string,
  ): Promise<Read<AuditedBlock>> => {
    if (keep === undefined) return check(bytes, wanted)
    const block = await check(bytes.slice(), wanted)
    if (block.ok) await keep(block.value, bytes, from)
    return block
  }
  return async (wanted) => {
    const tried: string[] = []
    for (const source of failedLast(sources, failed)) {
      const bytes = await readBytes(source, wanted.hash, failed)
      if (typeof bytes === 'string') {
        tried.push(`${source.name}: ${bytes}`)
        continue
      }
      const block = await checkAndKeep(bytes, wanted, source.name)
      // A bad sample was signed by the validator: no other copy is better.
      if (block.ok || block.code === 'BAD_SAMPLE') return block
      failed.add(source.name)
      tried.push(`${source.name}: ${block.code}`)
    }
    const detail = `nobody has it whole (${tried.sort().join('; ')})`
    return { ok: false, code: 'MISSING_BLOCK', detail }
  }
}

function failedLast(sources: readonly Source[], failed: Failed): readonly Source[] {
  const hasFailed = ({ name }: Source): boolean => failed.has(name)
  return [...sources.filter((source) => !hasFailed(source)), ...sources.filter(hasFailed)]
}

/** A block's bytes, or why there are none. */
async function readBytes(
  { name, read }: Source,
  hash: Hash,
  failed: Failed,
): Promise<Uint8Array | string> {
  try {
    return (await read(blockPath(hash), LIMITS.blockBytes)) ?? 'not there'
  } catch (error) {
    failed.add(name)
    return (error as Error).message
  }
}
