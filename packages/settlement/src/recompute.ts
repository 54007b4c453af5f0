import { readBlock, type Sample } from '@affine/blocks'
import { firstState, type State, votersAfter } from '@affine/duel'
import type { Hash } from '@affine/prng'
import pLimit from 'p-limit'
import { openCopies } from './answering.ts'
import type { PublicData } from './attested-state.ts'
import { checkLane } from './checked-lane.ts'
import { wrongClaims } from './claims.ts'
import type { Choose, Flaw, Found } from './copies.ts'
import { Owners } from './owners.ts'
import { type Champions, type Remark, type Votes, votesIn, withheldBits } from './remarks.ts'
import { type FindLane, type Settled, settleEpoch } from './settle.ts'
import { type CheckBlock, type Failed, type Keep, sourceReader } from './sources.ts'
import { placeOf, snapshotBlock } from './timetable.ts'

/** One epoch, recomputed from bytes. */
export interface Recomputed extends Settled {
  readonly epoch: number
  readonly flaws: readonly Flaw[]
  /** None without comparing. */
  readonly remarks: readonly Remark[]
  /** Of the weights on chain at its end; undefined without comparing. */
  readonly votes: Votes | undefined
}

/** Whose lane and which block a sample is in. */
export interface SamplePlace {
  readonly validator: string
  readonly block: Hash
}

export interface RecomputeOptions extends PublicData {
  /** The state to begin with, taken as it is; the network's first without. */
  readonly from?: State
  /** Of the epochs right before, as far as they are known. */
  readonly champions?: Champions
  /** The epoch to end with; the last that the chain has closed without. */
  readonly to?: number | undefined
  /** False: takes one authentic copy of what it needs, and looks at no other. */
  readonly compare?: boolean
  /** Whose copies of a block are compared, of all who answer for one; all without, none if null. */
  readonly choose?: Choose | null | undefined
  /** Sees every sample of every lane, before its lane is known to be whole. */
  readonly onSample?: ((sample: Sample, place: SamplePlace) => void) | undefined
  /** Audits blocks; without, it is done in this thread. */
  readonly check?: CheckBlock
  /** How many lanes are read side by side, each a block at a time; one after the other without. */
  readonly lanesAtOnce?: number
}

/**
 * Decides every epoch that the chain has closed, from the network's first or `from` on, and says of
 * each what did not hold. Lanes are read from the buckets of the duel's voters alone: from their
 * validator's own, then from their attesters', then from any other; all attested copies are
 * compared. Holds a block of each lane that it reads, and of its copies a few.
 *
 * What it finds of an epoch does not depend on where it began, but for `votes` where `champions`
 * are not known as far back as weights may wait.
 *
 * @throws Unavailable when data that an epoch needs is nowhere: what comes after cannot be decided.
 *   RangeError when `to` has not ended, or comes before the beginning.
 */
export async function* recompute(options: RecomputeOptions): AsyncGenerator<Recomputed, void> {
  const { chain, network } = options
  const { from = firstState(network.protocol, network.firstEpoch) } = options
  const { number } = await chain.head()
  const open = placeOf(number + 1, network.protocol).epoch
  const { to = open - 1 } = options
  if (to >= open)
    throw new RangeError(`epoch ${to} has not ended, the last that has is ${open - 1}`)
  if (to < from.epoch && options.to !== undefined)
    throw new RangeError(`epoch ${to} comes before the one to begin with, ${from.epoch}`)
  const owners = new Owners(options)
  const champions = [...(options.champions ?? [])]
  for (let state = from; state.epoch <= to; ) {
    champions.push(state.champion?.hotkey)
    const recomputed = await recomputeEpoch({ ...options, owners, champions }, state)
    yield recomputed
    state = recomputed.state
  }
}

/** What is known besides when an epoch is recomputed. */
interface Stretch extends RecomputeOptions {
  readonly owners: Owners
  /** Up to the epoch's. */
  readonly champions: Champions
}

async function recomputeEpoch(options: Stretch, state: State): Promise<Recomputed> {
  const { chain, openBucket, onSample, compare = true } = options
  const { epoch, duel } = state
  const failed: Failed = new Set()
  const ended = compare && (await chain.snapshot(snapshotBlock(epoch + 1, state.protocol)))
  const looking = { ...options, choose: options.choose ?? undefined }
  const copies = ended && duel && (await openCopies(looking, state, { duel, ended, failed }))
  const isKept = onSample !== undefined || (copies && options.choose !== null)
  const find: FindLane = async (sought) => {
    const { validator, head, holders } = sought
    const keep: Keep = async (block, bytes, from) => {
      showSamples(bytes, { validator, block: block.hash }, onSample)
      if (copies) await copies.compareBlock(sought, { block, bytes, from })
    }
    const sources = holders.flatMap(({ hotkey, url }) => openBucket(hotkey, url) ?? [])
    const reading = { sources, failed, check: options.check }
    const read = sourceReader(isKept ? { ...reading, keep } : reading)
    return checkLane({ chain, state, validator, head, read })
  }
  const limit = pLimit(options.lanesAtOnce ?? 1)
  // Whoever compares looks at every lane that is due.
  const settled = await settleEpoch(options, state, {
    find: (sought) => limit(find, sought),
    isWanted: () => compare,
  })
  const flawsOf = (found: readonly Found[]): readonly Flaw[] =>
    found.map((flaw) => ({ epoch, ...flaw }))
  if (!ended) {
    const flaws = flawsOf([...faultsIn(settled), ...wrongClaims(settled)])
    return { epoch, ...settled, flaws, remarks: [], votes: undefined }
  }
  // Without a duel, those answer that would vote in the next: they attested the epoch.
  const voting = { weights: votersAfter(state, settled.snapshot) }
  const looked = copies || (await openCopies(looking, state, { duel: voting, ended, failed }))
  const differing = await looked.flaws([state, settled.state])
  const flaws = flawsOf([...faultsIn(settled), ...differing, ...wrongClaims(settled)])
  const votes = await votesIn({ ...options, ended }, settled)
  const remarks = [...withheldBits(settled), ...(votes?.others ?? [])]
  return { epoch, ...settled, flaws, remarks, votes }
}

/** Reads a block once more, for who wants its samples. */
function showSamples(
  bytes: Uint8Array,
  place: SamplePlace,
  onSample: RecomputeOptions['onSample'],
): void {
  if (onSample === undefined) return
  const block = readBlock(bytes, { hash: place.block, verify: () => true })
  if (block.ok) for (const sample of block.value.samples) onSample(sample, place)
}

function faultsIn({ lanes }: Settled): readonly Found[] {
  return [...lanes].flatMap(([validator, lane]) => {
    if (lane.ok) return []
    return [{ validator, code: lane.code, detail: lane.detail }]
  })
}
