import { type BucketFailureFacts, blockPath, LIMITS, statePath } from '@affine/blocks'
import type { Snapshot } from '@affine/chain'
import { type State, stateRoot } from '@affine/duel'
import { digestOfText, type Hash } from '@affine/prng'
import pLimit from 'p-limit'
import { STATE_BYTES } from './attested-state.ts'
import type { BucketReader, FoundBlock, Source } from './bucket-reader.ts'
import {
  ask,
  type Copy,
  copyOf,
  type Differing,
  failureText,
  flawsIn,
  isTimeout,
  SAME,
  type UndatedFlaw,
  worse,
} from './copy.ts'
import type { Sought } from './epoch-decision.ts'
import type { Network } from './networks.ts'
import { commitmentsOf, holdersOf } from './on-chain.ts'

/** Chooses which of the copies of a block to compare. */
export type Choose = (holders: readonly string[]) => readonly string[]

/** So many copies are read at a time, of all lanes: each may have 8 MiB. */
const COPIES_AT_ONCE = 32

/**
 * Looks at the copies of what an epoch's decision was read from, in the buckets of those who answer
 * for them. Whoever attested a lane said that its bucket serves it. Buckets are asked side by side,
 * for each block once; one that was late with a block is not asked for another.
 *
 * What is found follows from what each bucket answers for each block: not from the order of the
 * answers, nor from whose copy was read first. So of a bucket that once failed only the worst
 * failure is reported, and a timeout is the worst: which of its other blocks were read is chance.
 * The same holds for a bucket that the reader no longer waits for, whatever it answered before.
 */
export class Copies {
  readonly #sources: ReadonlyMap<string, Source>
  readonly #limit = pLimit(COPIES_AT_ONCE)
  readonly #reader: BucketReader
  readonly #choose: Choose
  /** Those that attested a block that was compared. */
  readonly #owing = new Set<string>()
  /** The worst failure of each bucket to serve a block that its validator attested. */
  readonly #silent = new Map<string, BucketFailureFacts>()
  /** The same for blocks of its validator's lane that only others attested. */
  readonly #silentUnowed = new Map<string, BucketFailureFacts>()
  /** The roots of states that buckets hold, by path. */
  readonly #roots: (readonly [path: string, holder: string, root: Hash])[] = []
  /** By attester: the path of the state that it attested, and what its bucket has there. */
  readonly #attested = new Map<string, readonly [path: string, root: Root | undefined]>()
  /** The states that are being read. */
  readonly #reading: Promise<void>[] = []
  readonly #differing: Differing[] = []

  constructor(
    sources: readonly Source[],
    reader: BucketReader,
    choose: Choose = (holders) => holders,
  ) {
    this.#sources = new Map(sources.map((source) => [source.name, source]))
    this.#reader = reader
    this.#choose = choose
  }

  /** Begins to read the state that governs `epoch` from all buckets. */
  readStates(epoch: number): void {
    this.#reading.push(this.#readStates(epoch))
  }

  /** Never rejects. */
  async #readStates(epoch: number): Promise<void> {
    const path = statePath(epoch)
    const reading = [...this.#sources].map(
      async ([name, source]) => [name, await this.#limit(readRoot, source, path)] as const,
    )
    for (const [name, root] of await Promise.all(reading)) {
      if (typeof root === 'string') this.#roots.push([path, name, root])
      if (isFailure(root)) this.#reader.failed.add(name)
    }
  }

  /** Begins to read the state that governs `epoch` from its attesters, who must serve it. */
  readAttested(epoch: number, attesters: readonly string[]): void {
    const path = statePath(epoch)
    for (const holder of attesters) this.#reading.push(this.#readAttested(path, holder))
  }

  /** Never rejects. */
  async #readAttested(path: string, holder: string): Promise<void> {
    const source = this.#sources.get(holder)
    const root = source && (await this.#limit(readRoot, source, path))
    if (isFailure(root)) this.#reader.failed.add(holder)
    this.#attested.set(holder, [path, root])
  }

  /** Compares the copies of a block that its lane's validator and attesters have: those chosen. */
  async compareBlock({ validator, attesters }: Sought, found: FoundBlock): Promise<void> {
    const { block, from } = found
    const holders = [...new Set([validator, ...attesters])]
    const chosen = this.#choose(holders.filter((holder) => holder !== from))
    const asked = holders.filter((holder) => holder === from || chosen.includes(holder))
    const looking = asked.map(async (holder) => {
      const isOwing = attesters.includes(holder)
      if (isOwing) this.#owing.add(holder)
      const silent = isOwing ? this.#silent : this.#silentUnowed
      return [holder, await this.#copyAt(holder, found, silent)] as const
    })
    const copies = await Promise.all(looking)
    if (copies.every(([, copy]) => copy === SAME)) return
    this.#differing.push({ block, copies, attesters })
  }

  /** Returns what `holder` has in the place of a block. A failure to read it joins `silent`. */
  async #copyAt(
    holder: string,
    found: FoundBlock,
    silent: Map<string, BucketFailureFacts>,
  ): Promise<Copy> {
    const source = this.#sources.get(holder)
    if (source === undefined) return { is: 'missing', why: NOT_OPENED }
    if (holder === found.from) return SAME
    const before = silent.get(holder)
    if (before && isTimeout(before)) return { is: 'silent', failure: before }
    const copy = await this.#limit(readCopy, source, found)
    if (copy.is !== 'silent') return copy
    silent.set(holder, worse(copy.failure, silent.get(holder) ?? copy.failure))
    this.#reader.failed.add(holder)
    return copy
  }

  /** What did not hold, once it is known which states are right; in an order of its own. */
  async flaws(states: readonly State[]): Promise<readonly UndatedFlaw[]> {
    await Promise.all(this.#reading)
    const { lost } = this.#reader
    const unheard = [...this.#owing].filter((each) => this.#silent.has(each) || lost.has(each))
    const found = this.#differing.flatMap(({ copies, ...of }) => {
      const known = copies.filter(([holder]) => !lost.has(holder))
      return flawsIn({ ...of, copies: known }, new Set(this.#silent.keys()))
    })
    for (const validator of unheard) {
      const failure = (lost.has(validator) ? undefined : this.#silent.get(validator)) ?? LOST
      const detail = `its bucket did not serve a block that it attested: ${failureText(failure)}`
      found.push({ validator, code: 'COPY_MISSING', detail: `${detail}; ask its operator` })
    }
    found.push(...this.#missingStates(unheard))
    found.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
    for (const state of states) {
      const expected = stateRoot(state)
      for (const [path, holder, root] of this.#roots) {
        if (path !== statePath(state.epoch) || root === expected || lost.has(holder)) continue
        found.push({ validator: holder, code: 'STATE_DIFFERS', detail: path })
      }
    }
    return found
  }

  /** Returns the attested states that are not served. Of `unheard` their silence is known. */
  #missingStates(unheard: readonly string[]): readonly UndatedFlaw[] {
    return [...this.#attested].flatMap(([validator, [path, read]]) => {
      const root = this.#reader.lost.has(validator) ? LOST : read
      if (typeof root === 'string') return []
      if (isFailure(root) && unheard.includes(validator)) return []
      const detail = `it attested ${path}: ${missingText(root)}`
      return [{ validator, code: 'STATE_MISSING' as const, detail }]
    })
  }
}

/** The root of a bucket's state, null if the file is not there, or why it cannot be read. */
type Root = Hash | null | BucketFailureFacts

/** The failure of a bucket that the reader no longer waits for. */
const LOST: BucketFailureFacts = { code: 'dropped', reason: 'too slow' }

const NOT_OPENED = 'it announced no bucket that can be opened'

const isFailure = (root: Root | undefined): root is BucketFailureFacts =>
  typeof root === 'object' && root !== null

/** Returns why a state is missing. Undefined stands for a bucket that cannot be opened. */
function missingText(root: Exclude<Root, Hash> | undefined): string {
  if (root === undefined) return NOT_OPENED
  return root === null ? 'not there' : failureText(root)
}

/** Never rejects. */
async function readRoot(source: Source, path: string): Promise<Root> {
  const answer = await ask(source, path, STATE_BYTES)
  return answer instanceof Uint8Array ? digestOfText('state', answer) : answer
}

async function readCopy(source: Source, { block, bytes, asked }: FoundBlock): Promise<Copy> {
  const { hash } = block
  return (
    asked.get(source.name) ??
    copyOf(await ask(source, blockPath(hash), LIMITS.blockBytes), { hash, bytes })
  )
}

const textOf = ({ validator, detail, code }: UndatedFlaw): string =>
  `${validator} ${detail} ${code}`

interface Looking {
  readonly reader: BucketReader
  readonly network: Pick<Network, 'firstEpoch'>
  /** The chain at the epoch's end. */
  readonly ended: Snapshot
  readonly choose?: Choose | undefined
}

/**
 * The copies that those have who answer for the epoch that `state` governs: the voters that were
 * due or attested it. What they have of its states is read meanwhile.
 */
export function copiesOf(
  { epoch, due, voters }: State,
  { reader, network, ended, choose }: Looking,
): Copies {
  const said = commitmentsOf(ended)
  const attests = (hotkey: string): boolean => {
    const commitment = said.get(hotkey)
    return commitment?.kind === 'attest' && commitment.epoch === epoch
  }
  const holders = holdersOf(voters, ended)
  const sources = holders
    .filter(({ hotkey }) => Object.hasOwn(due, hotkey) || attests(hotkey))
    .flatMap(({ hotkey, url }) => reader.open(hotkey, url) ?? [])
  const copies = new Copies(sources, reader, choose)
  const attesters = holders.map(({ hotkey }) => hotkey).filter(attests)
  copies.readAttested(epoch, attesters)
  // All others are read with the epoch before; a network's first epoch has no voters.
  if (epoch === network.firstEpoch + 1) copies.readStates(epoch)
  copies.readStates(epoch + 1)
  return copies
}
