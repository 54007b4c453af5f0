import {
  type AuditedBlock,
  type BlockFault,
  type Bucket,
  BucketFailure,
  type BucketFailureFacts,
  type Header,
  openBlock,
  openHeader,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { Hash } from '@affine/prng'

/**
 * A bucket's answer to a read: the file's bytes, null if the file does not exist, or the failure.
 */
export type BucketAnswer = Uint8Array | null | BucketFailureFacts

/** Reads a file. Never rejects: a failure is a value. */
export async function tryRead(
  { read }: Pick<Bucket, 'read'>,
  path: string,
  limit: number,
): Promise<BucketAnswer> {
  try {
    return await read(path, limit)
  } catch (error) {
    return toFailureFacts(error as Error)
  }
}

/** Returns the facts of a failed read. An error of another kind counts as a broken connection. */
export function toFailureFacts(error: Error): BucketFailureFacts {
  const facts = { code: 'connection', reason: error.message } as const
  const failure = error instanceof BucketFailure ? error : new BucketFailure('read a file', facts)
  const { code, status, reason } = failure
  return { code, status, reason }
}

/** Reports whether a read exceeded the bucket's time, or this reader's. */
export const isTimeout = ({ code }: BucketFailureFacts): boolean =>
  code === 'late' || code === 'dropped'

/**
 * Returns a failure in words. All timeouts have the same words: which reads of a slow bucket were
 * late, and which were dropped, is chance.
 */
export function describeFailure(failure: BucketFailureFacts): string {
  return isTimeout(failure) ? 'no answer in time' : failure.reason
}

/** Returns the failure to report of two: a timeout, otherwise the first in alphabetical order. */
export function chooseWorse(a: BucketFailureFacts, b: BucketFailureFacts): BucketFailureFacts {
  if (isTimeout(a) !== isTimeout(b)) return isTimeout(a) ? a : b
  return describeFailure(a) <= describeFailure(b) ? a : b
}

/** A bucket's copy of a block. */
export type Copy =
  /** The block itself. A second signature is a second copy: the signer signed twice. */
  | { readonly kind: 'whole'; readonly signature: string }
  /** Anything else. The header, if any, was signed by its validator. */
  | { readonly kind: 'other'; readonly code: BlockFault; readonly header?: Header | undefined }
  | { readonly kind: 'missing'; readonly why: string }
  /** The read failed. */
  | { readonly kind: 'silent'; readonly failure: BucketFailureFacts }

/** A copy with the original's bytes. */
export const SAME: Copy = { kind: 'whole', signature: '' }

/** Classifies an answer as a copy of a block, against the block's bytes if they were read. */
export function classifyCopy(
  answer: BucketAnswer,
  { hash, bytes }: { readonly hash: Hash; readonly bytes?: Uint8Array | undefined },
): Copy {
  if (answer === null) return { kind: 'missing', why: 'not there' }
  if (!(answer instanceof Uint8Array)) return { kind: 'silent', failure: answer }
  if (bytes && isSame(answer, bytes)) return SAME
  // The root is that of samples that were read already.
  const opened = openBlock(answer, { hash, verify })
  if (!opened.ok) return classifyOther(answer, opened.code)
  return { kind: 'whole', signature: opened.value.signature }
}

/**
 * Classifies bytes that failed as a copy of a block with `code`. A header signed twice is its
 * signer's flaw, regardless of the lines after it, so these are not read: they may be long.
 */
export function classifyOther(bytes: Uint8Array, code: BlockFault): Copy {
  if (code !== 'WRONG_HASH') return { kind: 'other', code }
  const opened = openHeader(bytes, { verify })
  return { kind: 'other', code, header: opened.ok ? opened.value.header : undefined }
}

/** Reports whether two headers claim the same chain, lane and height. */
function isSameSlot(a: Header, b: Header): boolean {
  const isOnChain = a.genesis === b.genesis && a.netuid === b.netuid
  const isLanes = a.validator === b.validator && a.epoch === b.epoch
  return isOnChain && isLanes && a.height === b.height
}

/** A plain loop: copies are many and large, and `every` takes ten times as long. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** A flaw in the public data: its epoch, its validator and its cause. */
export interface Flaw {
  readonly epoch: number
  /** The validator of the lane or of the bucket. */
  readonly validator: string
  readonly code:
    | BlockFault
    | 'STATE_DIFFERS'
    | 'STATE_MISSING'
    | 'COPY_MISSING'
    | 'WRONG_ROOT_ATTESTED'
    | 'NEVER_SEALED'
    | 'SIGNED_TWICE'
  readonly detail: string
}

/** A flaw without its epoch. */
export type UndatedFlaw = Omit<Flaw, 'epoch'>

/** A block with differing copies, and each holder's copy. */
export interface BlockMismatch {
  readonly block: Pick<AuditedBlock, 'hash' | 'header'>
  /** The lane's validator is first, then its attesters. */
  readonly copies: readonly (readonly [holder: string, copy: Copy])[]
  readonly attesters: readonly string[]
}

/**
 * Returns the flaws in a block's copies. Ignores attesters in `silent`, whose buckets did not
 * respond. Everyone who announces an address answers for its content. Protocol §6.4.
 */
export function listFlaws(
  { block: { hash, header }, copies, attesters }: BlockMismatch,
  silent: ReadonlySet<string>,
): readonly UndatedFlaw[] {
  const name = `block ${hash} of ${header.validator}`
  const known = copies.filter(([holder]) => !(attesters.includes(holder) && silent.has(holder)))
  const signatures = known.flatMap(([, copy]) => (copy.kind === 'whole' ? [copy.signature] : []))
  const isTwin = (copy: Copy): boolean => {
    if (copy.kind === 'whole') return copy.signature !== signatures[0]
    return copy.kind === 'other' && copy.header !== undefined && isSameSlot(copy.header, header)
  }
  const flaws = known.flatMap(([holder, copy]): readonly UndatedFlaw[] => {
    if (copy.kind === 'silent' || copy.kind === 'whole' || isTwin(copy)) return []
    if (copy.kind === 'other')
      return [{ validator: holder, code: copy.code, detail: `its copy of ${name}` }]
    // Only validators that attested the lane have promised to serve it.
    if (!attesters.includes(holder)) return []
    const detail = `it attested ${name}: ${copy.why}`
    return [{ validator: holder, code: 'COPY_MISSING', detail }]
  })
  const [twin] = known.flatMap(([holder, copy]) => (isTwin(copy) ? [holder] : [])).sort()
  if (twin === undefined) return flaws
  // A second signature is one flaw, regardless of how many validators have the other copy.
  const detail = `${name} is not the only one at height ${header.height}: ${twin} has another`
  return [...flaws, { validator: header.validator, code: 'SIGNED_TWICE', detail }]
}
