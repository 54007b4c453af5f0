import {
  type AuditedBlock,
  areSameBytes,
  type BlockFault,
  type Bucket,
  BucketFailure,
  type BucketFailureFacts,
  blockPath,
  type Header,
  LIMITS,
  openBlock,
  openHeader,
  STATE_BYTES,
  statePath,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import { type State, stateRoot } from '@affine/duel'
import { digestOfText, type Hash } from '@affine/prng'
import pLimit from 'p-limit'
import type { LaneSearch } from './epoch-decision.ts'

/** Chooses the holders of a block whose copies are compared. */
export type Choose = (holders: readonly string[]) => readonly string[]

/** A readable bucket, and the name by which flaws report it. */
export type Source = Pick<Bucket, 'read'> & { readonly name: string }

/** A block, its bytes and its source. */
export interface FoundBlock {
  readonly block: Pick<AuditedBlock, 'hash' | 'header'>
  readonly bytes: Uint8Array
  /** Name of the source. */
  readonly from: string
  /**
   * The copy in each source that was queried for the block, by the source's name. A copy does not
   * contain the bytes, which could total many times 8 MiB.
   */
  readonly asked: ReadonlyMap<string, Promise<Copy>>
}

interface CopiesOptions {
  /** Names of buckets that failed in this epoch. The comparison adds to them. */
  readonly failed: Set<string>
  /** Names of buckets that are no longer read. */
  readonly lost: ReadonlySet<string>
  /** State that governs the epoch. */
  readonly state: State
  /** Voters that attested the state and must serve it. */
  readonly attesters: readonly string[]
  /** Default: chooses all copies. */
  readonly choose?: Choose | undefined
}

/** Maximum copies read concurrently in all lanes: each may have 8 MiB. */
const COPIES_AT_ONCE = 32

/**
 * Compares the copies of an epoch's blocks and of its state in the buckets of voters. Buckets are
 * read in parallel, each once for each block. A bucket has blocks of two kinds: attested by its
 * validator, or only by others. After one timeout, it is not queried for other blocks of that kind.
 *
 * Flaws do not depend on the order of answers or on the source of the first copy. Which blocks are
 * read from a bucket after a failure is chance, so only its worst failure is reported, and a
 * timeout is the worst. A bucket that is no longer read counts as timed out, regardless of its
 * earlier answers.
 */
export class Copies {
  readonly #sources: ReadonlyMap<string, Source>
  readonly #limit = pLimit(COPIES_AT_ONCE)
  readonly #options: CopiesOptions
  /** Attesters of compared blocks. */
  readonly #owing = new Set<string>()
  /** Worst failure of each bucket to serve a block that its validator attested. */
  readonly #silent = new Map<string, BucketFailureFacts>()
  /**
   * Worst failure of each bucket to serve a block of its own validator's lane, if others attested
   * the lane and this validator did not.
   */
  readonly #silentUnowed = new Map<string, BucketFailureFacts>()
  readonly #states: Promise<StateCopies>
  readonly #differing: BlockMismatch[] = []

  /** Begins to read the state from all buckets. */
  constructor(sources: readonly Source[], options: CopiesOptions) {
    this.#sources = new Map(sources.map((source) => [source.name, source]))
    this.#options = options
    this.#states = this.#readStates(statePath(options.state.epoch))
  }

  /** Never rejects. */
  async #readStates(path: string): Promise<StateCopies> {
    const reading = [...this.#sources].map(async ([name, source]) => {
      const answer = await this.#limit(tryRead, source, path, STATE_BYTES)
      const isFile = answer instanceof Uint8Array
      if (!isFile && answer !== null) this.#options.failed.add(name)
      return [name, isFile ? digestOfText('state', answer) : answer] as const
    })
    return new Map(await Promise.all(reading))
  }

  /** Compares the chosen copies of a block in the buckets of its lane's validator and attesters. */
  async compareBlock({ validator, attesters }: LaneSearch, found: FoundBlock): Promise<void> {
    const { block, from } = found
    const { choose = (all) => all } = this.#options
    const holders = [...new Set([validator, ...attesters])]
    const chosen = choose(holders.filter((holder) => holder !== from))
    const compared = holders.filter((holder) => holder === from || chosen.includes(holder))
    const reading = compared.map(async (holder) => {
      const isOwing = attesters.includes(holder)
      if (isOwing) this.#owing.add(holder)
      const silent = isOwing ? this.#silent : this.#silentUnowed
      return [holder, await this.#copyAt(holder, found, silent)] as const
    })
    const copies = await Promise.all(reading)
    if (copies.every(([, copy]) => copy === SAME)) return
    this.#differing.push({ block, copies, attesters })
  }

  /** Resolves with the copy in the bucket of `holder`. Adds a failed read to `silent`. */
  async #copyAt(
    holder: string,
    found: FoundBlock,
    silent: Map<string, BucketFailureFacts>,
  ): Promise<Copy> {
    const source = this.#sources.get(holder)
    if (source === undefined) return { kind: 'missing', why: NOT_OPENED }
    if (holder === found.from) return SAME
    const before = silent.get(holder)
    if (before && isTimeout(before)) return { kind: 'silent', failure: before }
    const copy = await this.#limit(readCopy, source, found)
    if (copy.kind !== 'silent') return copy
    silent.set(holder, chooseWorse(copy.failure, silent.get(holder) ?? copy.failure))
    this.#options.failed.add(holder)
    return copy
  }

  /** Resolves with all flaws, sorted. */
  async flaws(): Promise<readonly UndatedFlaw[]> {
    const flaws = [...this.#blockFlaws(), ...this.#stateFlaws(await this.#states)]
    return flaws.sort((a, b) => (formatSortKey(a) < formatSortKey(b) ? -1 : 1))
  }

  #blockFlaws(): readonly UndatedFlaw[] {
    const { lost } = this.#options
    const flaws = this.#differing.flatMap(({ copies, ...rest }) => {
      // Failed reads from an attester's bucket are reported below, as one flaw.
      const isSilent = (holder: string) =>
        rest.attesters.includes(holder) && this.#silent.has(holder)
      const known = copies.filter(([holder]) => !lost.has(holder) && !isSilent(holder))
      return listFlaws({ ...rest, copies: known })
    })
    for (const validator of this.#owing) {
      const failure = lost.has(validator) ? LOST : this.#silent.get(validator)
      if (failure === undefined) continue
      const cause = describeFailure(failure)
      const detail = `its bucket did not serve a block that it attested: ${cause}; ask its operator`
      flaws.push({ validator, code: 'COPY_MISSING', detail })
    }
    return flaws
  }

  /**
   * Returns flaws for attested states that are not served, and for other states that are served.
   */
  #stateFlaws(states: StateCopies): readonly UndatedFlaw[] {
    const { state, lost, attesters } = this.#options
    const path = statePath(state.epoch)
    const expected = stateRoot(state)
    return [...new Set([...states.keys(), ...attesters])].flatMap((validator) => {
      const copy = lost.has(validator) ? LOST : states.get(validator)
      if (copy === expected) return []
      if (typeof copy === 'string') return { validator, code: 'STATE_DIFFERS', detail: path }
      if (!attesters.includes(validator)) return []
      const why = copy === undefined ? NOT_OPENED : describeFailure(copy)
      return { validator, code: 'STATE_MISSING', detail: `it attested ${path}: ${why}` }
    })
  }
}

/** The root of each bucket's copy of the state, or the answer without a state. */
type StateCopies = ReadonlyMap<string, Hash | Exclude<BucketAnswer, Uint8Array>>

const LOST: BucketFailureFacts = { code: 'dropped', reason: 'too slow' }

const NOT_OPENED = 'it announced no bucket that can be opened'

async function readCopy(source: Source, { block, bytes, asked }: FoundBlock): Promise<Copy> {
  const { hash } = block
  return (
    asked.get(source.name) ??
    classifyCopy(await tryRead(source, blockPath(hash), LIMITS.blockBytes), { hash, bytes })
  )
}

const formatSortKey = ({ validator, detail, code }: UndatedFlaw): string =>
  `${validator} ${detail} ${code}`

/** The file's bytes, null if the bucket does not have the file, or the failure. */
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

/** Reports whether a bucket was late, or is no longer read. */
const isTimeout = ({ code }: BucketFailureFacts): boolean => code === 'late' || code === 'dropped'

/**
 * Returns why a file was not read; null stands for a missing file. All timeouts have the same
 * words: which reads of a slow bucket were late, and which were dropped, is chance.
 */
export function describeFailure(failure: BucketFailureFacts | null): string {
  if (failure === null) return 'file not found'
  return isTimeout(failure) ? 'no answer in time' : failure.reason
}

/**
 * Returns the failure to report: a timeout, otherwise the first description in alphabetical order.
 */
function chooseWorse(a: BucketFailureFacts, b: BucketFailureFacts): BucketFailureFacts {
  if (isTimeout(a) !== isTimeout(b)) return isTimeout(a) ? a : b
  return describeFailure(a) <= describeFailure(b) ? a : b
}

/** A bucket's copy of a block. */
export type Copy =
  /** A copy of the whole block. If two have different signatures, the signer signed twice. */
  | { readonly kind: 'whole'; readonly signature: string }
  /** Other bytes. The header, if any, is the signed header of another block. */
  | { readonly kind: 'other'; readonly code: BlockFault; readonly header?: Header | undefined }
  | { readonly kind: 'missing'; readonly why: string }
  /** The read failed. */
  | { readonly kind: 'silent'; readonly failure: BucketFailureFacts }

/** A copy with the same bytes as the block that was found. */
export const SAME: Copy = { kind: 'whole', signature: '' }

/** Classifies a bucket's answer as a copy of a block. `bytes` are the block's bytes, if known. */
export function classifyCopy(
  answer: BucketAnswer,
  { hash, bytes }: { readonly hash: Hash; readonly bytes?: Uint8Array | undefined },
): Copy {
  if (answer === null) return { kind: 'missing', why: describeFailure(answer) }
  if (!(answer instanceof Uint8Array)) return { kind: 'silent', failure: answer }
  if (bytes && areSameBytes(answer, bytes)) return SAME
  // The hash fixes the root, and the root fixes the samples, so only the signature can differ.
  const opened = openBlock(answer, { hash, verify })
  if (!opened.ok) return classifyOther(answer, opened.code)
  return { kind: 'whole', signature: opened.value.signature }
}

/**
 * Classifies bytes that are not a copy of the block, for the reason `code`. If they begin with the
 * signed header of another block, the header may prove that its validator signed twice. The lines
 * after the header may be long, and are not read.
 */
export function classifyOther(bytes: Uint8Array, code: BlockFault): Copy {
  if (code !== 'WRONG_HASH') return { kind: 'other', code }
  const opened = openHeader(bytes, { verify })
  return { kind: 'other', code, header: opened.ok ? opened.value.header : undefined }
}

function isSameSlot(a: Header, b: Header): boolean {
  const isOnChain = a.genesis === b.genesis && a.netuid === b.netuid
  const isLanes = a.validator === b.validator && a.epoch === b.epoch
  return isOnChain && isLanes && a.height === b.height
}

/** A flaw in the public data. */
export interface Flaw {
  readonly epoch: number
  /** Hotkey of the responsible validator. */
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

export type UndatedFlaw = Omit<Flaw, 'epoch'>

/** A block with differing copies, and each holder's copy. */
interface BlockMismatch {
  readonly block: Pick<AuditedBlock, 'hash' | 'header'>
  /** The lane's validator is first, then its attesters. */
  readonly copies: readonly (readonly [holder: string, copy: Copy])[]
  readonly attesters: readonly string[]
}

/** Returns the flaws in a block's copies. Protocol §6.4. */
function listFlaws({ block, copies, attesters }: BlockMismatch): readonly UndatedFlaw[] {
  const { hash, header } = block
  const name = `block ${hash} of ${header.validator}`
  const signatures = copies.flatMap(([, copy]) => (copy.kind === 'whole' ? [copy.signature] : []))
  const isTwin = (copy: Copy): boolean => {
    if (copy.kind === 'whole') return copy.signature !== signatures[0]
    return copy.kind === 'other' && copy.header !== undefined && isSameSlot(copy.header, header)
  }
  const flaws = copies.flatMap(([holder, copy]): readonly UndatedFlaw[] => {
    if (copy.kind === 'silent' || copy.kind === 'whole' || isTwin(copy)) return []
    if (copy.kind === 'other')
      return [{ validator: holder, code: copy.code, detail: `its copy of ${name}` }]
    // Only attesters have promised to serve the lane.
    if (!attesters.includes(holder)) return []
    const detail = `it attested ${name}: ${copy.why}`
    return [{ validator: holder, code: 'COPY_MISSING', detail }]
  })
  const [twin] = copies.flatMap(([holder, copy]) => (isTwin(copy) ? [holder] : [])).sort()
  if (twin === undefined) return flaws
  // A second signature is one flaw, regardless of how many buckets have the other copy.
  const detail = `${name} is not the only one at height ${header.height}: ${twin} has another`
  return [...flaws, { validator: header.validator, code: 'SIGNED_TWICE', detail }]
}
