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

/** A bucket's answer to a read: the file's bytes, null if it is not there, or the failure. */
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
    return failureOf(error as Error)
  }
}

/** Returns the facts of a failed read. An error of another kind counts as a broken connection. */
export function failureOf(error: Error): BucketFailureFacts {
  const facts = { code: 'connection', reason: error.message } as const
  const failure = error instanceof BucketFailure ? error : new BucketFailure('read a file', facts)
  const { code, status, reason } = failure
  return { code, status, reason }
}

/** Reports whether a read took too long: for the bucket's limit, or for this reader. */
export const isTimeout = ({ code }: BucketFailureFacts): boolean =>
  code === 'late' || code === 'dropped'

/**
 * Returns a failure in words. All timeouts have the same words: which of a bucket's reads was late,
 * and which was dropped for it, is chance.
 */
export function failureText(failure: BucketFailureFacts): string {
  return isTimeout(failure) ? 'no answer in time' : failure.reason
}

/** Returns the failure to report of two: a timeout, or else the first by its words. */
export function chooseWorse(a: BucketFailureFacts, b: BucketFailureFacts): BucketFailureFacts {
  if (isTimeout(a) !== isTimeout(b)) return isTimeout(a) ? a : b
  return failureText(a) <= failureText(b) ? a : b
}

/** What a bucket has in the place of a block. */
export type Copy =
  /** The block itself. Two that are signed differently are two: their signer signed twice. */
  | { readonly kind: 'whole'; readonly signature: string }
  /** Something else; if it has a header, one that its validator signed. */
  | { readonly kind: 'other'; readonly code: BlockFault; readonly header?: Header | undefined }
  | { readonly kind: 'missing'; readonly why: string }
  /** The read failed. */
  | { readonly kind: 'silent'; readonly failure: BucketFailureFacts }

/** A copy that is the original. */
export const SAME: Copy = { kind: 'whole', signature: '' }

/** What an answer is in the place of a block, whose bytes were read if it is there. */
export function classifyCopy(
  answer: BucketAnswer,
  { hash, bytes }: { readonly hash: Hash; readonly bytes?: Uint8Array | undefined },
): Copy {
  if (answer === null) return { kind: 'missing', why: 'not there' }
  if (!(answer instanceof Uint8Array)) return { kind: 'silent', failure: answer }
  if (bytes && isSame(answer, bytes)) return SAME
  // The samples under one root are those that were read already.
  const opened = openBlock(answer, { hash, verify })
  if (!opened.ok) return classifyOther(answer, opened.code)
  return { kind: 'whole', signature: opened.value.signature }
}

/**
 * What bytes are that failed as a copy of a block for this reason. A header signed twice is its
 * signer's fault, whatever comes after it, so the rest is not read: it may be long.
 */
export function classifyOther(bytes: Uint8Array, code: BlockFault): Copy {
  if (code !== 'WRONG_HASH') return { kind: 'other', code }
  const other = openHeader(bytes, { verify })
  return { kind: 'other', code, header: other.ok ? other.value.header : undefined }
}

/** Of two blocks of these headers: were they signed for the same place? */
function isSameSlot(one: Header, other: Header): boolean {
  const isOnChain = one.genesis === other.genesis && one.netuid === other.netuid
  const isLanes = one.validator === other.validator && one.epoch === other.epoch
  return isOnChain && isLanes && one.height === other.height
}

/** A plain loop: copies are many and large, and `every` takes ten times as long. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Something in the public data that is not as it should be: whose, where, and why. */
export interface Flaw {
  readonly epoch: number
  /** The validator whose lane or bucket it is. */
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

/** A flaw, but for its epoch. */
export type UndatedFlaw = Omit<Flaw, 'epoch'>

/** A block of which a copy differs, and what each of its holders has. */
export interface BlockMismatch {
  readonly block: Pick<AuditedBlock, 'hash' | 'header'>
  /** Its lane's validator first, then attesters. */
  readonly copies: readonly (readonly [holder: string, copy: Copy])[]
  readonly attesters: readonly string[]
}

/**
 * What is wrong with the copies of a block, but for those that buckets of `silent` answer for.
 * Whoever announces an address answers for what is served there. Protocol §6.4.
 */
export function listFlaws(
  { block: { hash, header }, copies, attesters }: BlockMismatch,
  silent: ReadonlySet<string>,
): readonly UndatedFlaw[] {
  const what = `block ${hash} of ${header.validator}`
  const known = copies.filter(([holder]) => !(attesters.includes(holder) && silent.has(holder)))
  const signatures = known.flatMap(([, copy]) => (copy.kind === 'whole' ? [copy.signature] : []))
  const isTwin = (copy: Copy): boolean => {
    if (copy.kind === 'whole') return copy.signature !== signatures[0]
    return copy.kind === 'other' && copy.header !== undefined && isSameSlot(copy.header, header)
  }
  const found = known.flatMap(([holder, copy]): readonly UndatedFlaw[] => {
    if (copy.kind === 'silent' || copy.kind === 'whole' || isTwin(copy)) return []
    if (copy.kind === 'other')
      return [{ validator: holder, code: copy.code, detail: `its copy of ${what}` }]
    // Only a validator that attested a lane has promised to serve it.
    if (!attesters.includes(holder)) return []
    const detail = `it attested ${what}: ${copy.why}`
    return [{ validator: holder, code: 'COPY_MISSING', detail }]
  })
  const [twin] = known.flatMap(([holder, copy]) => (isTwin(copy) ? [holder] : [])).sort()
  if (twin === undefined) return found
  // A second signature counts once, however many validators have the other copy.
  const detail = `${what} is not the only one at height ${header.height}: ${twin} has another`
  return [...found, { validator: header.validator, code: 'SIGNED_TWICE', detail }]
}
