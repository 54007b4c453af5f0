import { type BucketFailureFacts, blockPath, LIMITS, statePath } from '@affine/blocks'
import type { Snapshot } from '@affine/chain'
import { type State, stateRoot } from '@affine/duel'
import { digestOfText, type Hash } from '@affine/prng'
import pLimit from 'p-limit'
import { STATE_BYTES } from './attested-state.ts'
import type { BucketReader, FoundBlock, Source } from './bucket-reader.ts'
import {
  type BlockMismatch,
  type Copy,
  chooseWorse,
  classifyCopy,
  describeFailure,
  isTimeout,
  listFlaws,
  SAME,
  tryRead,
  type UndatedFlaw,
} from './copy.ts'
import type { LaneSearch } from './epoch-decision.ts'
import { decodeCommitments, listHolders } from './on-chain.ts'

/** Chooses the copies of a block to compare. */
export type Choose = (holders: readonly string[]) => readonly string[]

interface CopiesOptions {
  readonly reader: BucketReader
  /** The state that governs the epoch. */
  readonly state: State
  /** The voters that attested the state and must serve it. */
  readonly attesters: readonly string[]
  /** Default: chooses all copies. */
  readonly choose?: Choose | undefined
}

/** Maximum copies read concurrently, of all lanes: each may have 8 MiB. */
const COPIES_AT_ONCE = 32

/**
 * Compares the copies of an epoch's evidence in the buckets of the voters that answer for them. An
 * attester promises that its bucket serves the lane. Buckets are read in parallel, once for each
 * block; a bucket that was late with one is not queried for another.
 *
 * Flaws depend on each bucket's answers, not on their order, nor on the source of the first copy.
 * Which blocks are read from a bucket after a failure is chance, so only its worst failure is
 * reported, and a timeout is the worst. The same applies to a bucket that is no longer read,
 * regardless of its answers before.
 */
export class Copies {
  readonly #sources: ReadonlyMap<string, Source>
  readonly #limit = pLimit(COPIES_AT_ONCE)
  readonly #options: CopiesOptions
  /** The attesters of blocks that were compared. */
  readonly #owing = new Set<string>()
  /** Each bucket's worst failure to serve a block that its validator attested. */
  readonly #silent = new Map<string, BucketFailureFacts>()
  /**
   * Each bucket's worst failure to serve a block of its validator's lane that only others attested.
   */
  readonly #silentUnowed = new Map<string, BucketFailureFacts>()
  /** The roots of the buckets' copies of the state. */
  readonly #roots: Promise<ReadonlyMap<string, Root>>
  readonly #differing: BlockMismatch[] = []

  /** Begins to read the state from all buckets. */
  constructor(sources: readonly Source[], options: CopiesOptions) {
    this.#sources = new Map(sources.map((source) => [source.name, source]))
    this.#options = options
    this.#roots = this.#readRoots(statePath(options.state.epoch))
  }

  /** Never rejects. */
  async #readRoots(path: string): Promise<ReadonlyMap<string, Root>> {
    const reading = [...this.#sources].map(async ([name, source]) => {
      const root = await this.#limit(readRoot, source, path)
      if (isFailure(root)) this.#options.reader.failed.add(name)
      return [name, root] as const
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

  /** Returns what `holder` has in the place of a block. Adds a failed read to `silent`. */
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
    this.#options.reader.failed.add(holder)
    return copy
  }

  /** Resolves with all flaws, sorted. */
  async flaws(): Promise<readonly UndatedFlaw[]> {
    const roots = await this.#roots
    const { state, reader } = this.#options
    const { lost } = reader
    const unheard = [...this.#owing].filter((each) => this.#silent.has(each) || lost.has(each))
    const flaws = this.#differing.flatMap(({ copies, ...rest }) => {
      const known = copies.filter(([holder]) => !lost.has(holder))
      return listFlaws({ ...rest, copies: known }, new Set(this.#silent.keys()))
    })
    for (const validator of unheard) {
      const failure = (lost.has(validator) ? undefined : this.#silent.get(validator)) ?? LOST
      const cause = describeFailure(failure)
      const detail = `its bucket did not serve a block that it attested: ${cause}`
      flaws.push({ validator, code: 'COPY_MISSING', detail: `${detail}; ask its operator` })
    }
    flaws.push(...this.#missingStates(roots))
    flaws.sort((a, b) => (formatSortKey(a) < formatSortKey(b) ? -1 : 1))
    const expected = stateRoot(state)
    for (const [validator, root] of roots) {
      if (typeof root !== 'string' || root === expected || lost.has(validator)) continue
      flaws.push({ validator, code: 'STATE_DIFFERS', detail: statePath(state.epoch) })
    }
    return flaws
  }

  /** Returns the attested states that are not served. */
  #missingStates(roots: ReadonlyMap<string, Root>): readonly UndatedFlaw[] {
    const { state, attesters, reader } = this.#options
    return attesters.flatMap((validator) => {
      const root = reader.lost.has(validator) ? LOST : roots.get(validator)
      if (typeof root === 'string') return []
      const detail = `it attested ${statePath(state.epoch)}: ${explainMissing(root)}`
      return [{ validator, code: 'STATE_MISSING' as const, detail }]
    })
  }
}

/** The root of a bucket's state, null if the file does not exist, or the failure. */
type Root = Hash | null | BucketFailureFacts

/** The failure of a bucket that is no longer read. */
const LOST: BucketFailureFacts = { code: 'dropped', reason: 'too slow' }

const NOT_OPENED = 'it announced no bucket that can be opened'

const isFailure = (root: Root | undefined): root is BucketFailureFacts =>
  typeof root === 'object' && root !== null

/** Returns why a state is missing. Undefined stands for a bucket that cannot be opened. */
function explainMissing(root: Exclude<Root, Hash> | undefined): string {
  if (root === undefined) return NOT_OPENED
  return root === null ? 'not there' : describeFailure(root)
}

/** Never rejects. */
async function readRoot(source: Source, path: string): Promise<Root> {
  const answer = await tryRead(source, path, STATE_BYTES)
  return answer instanceof Uint8Array ? digestOfText('state', answer) : answer
}

async function readCopy(source: Source, { block, bytes, asked }: FoundBlock): Promise<Copy> {
  const { hash } = block
  return (
    asked.get(source.name) ??
    classifyCopy(await tryRead(source, blockPath(hash), LIMITS.blockBytes), { hash, bytes })
  )
}

const formatSortKey = ({ validator, detail, code }: UndatedFlaw): string =>
  `${validator} ${detail} ${code}`

/**
 * Opens the copies for the epoch that `state` governs: those of the voters that were due or
 * attested it, by the chain at its end.
 */
export function openCopies(ended: Snapshot, options: Omit<CopiesOptions, 'attesters'>): Copies {
  const { state, reader } = options
  const { epoch, due, voters } = state
  const commitments = decodeCommitments(ended)
  const rootOf = (hotkey: string): Hash | undefined => {
    const commitment = commitments.get(hotkey)
    const isOfEpoch = commitment?.kind === 'attest' && commitment.epoch === epoch
    return isOfEpoch ? commitment.stateRoot : undefined
  }
  const holders = listHolders(voters, ended)
  const sources = holders
    .filter(({ hotkey }) => Object.hasOwn(due, hotkey) || rootOf(hotkey) !== undefined)
    .flatMap(({ hotkey, url }) => reader.open(hotkey, url) ?? [])
  const root = stateRoot(state)
  const attesters = holders.map(({ hotkey }) => hotkey).filter((each) => rootOf(each) === root)
  return new Copies(sources, { ...options, attesters })
}
