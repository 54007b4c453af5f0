import { readBlock, type Sample } from '@affine/blocks'
import type { Snapshot } from '@affine/chain'
import { type Duel, firstState, type State, votersAfter } from '@affine/duel'
import type { Hash } from '@affine/prng'
import pLimit from 'p-limit'
import type { PublicData } from './attested-state.ts'
import { checkLane } from './checked-lane.ts'
import { wrongClaims } from './claims.ts'
import { Copies, type Flaw, type Found } from './copies.ts'
import { holdersOf } from './holders.ts'
import { Owners } from './owners.ts'
import { type Champions, type Remark, type Votes, votesIn, withheldBits } from './remarks.ts'
import { type FindLane, type Settled, settleEpoch } from './settle.ts'
import { commitmentsOf } from './snapshot.ts'
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
  /** False: takes one authentic copy of what it needs, and looks at no other. */
  readonly compare?: boolean
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
 * @throws Unavailable when data that an epoch needs is nowhere: what comes after cannot be decided.
 */
export async function* recompute(options: RecomputeOptions): AsyncGenerator<Recomputed, void> {
  const { chain, network, from = firstState(network.protocol, network.firstEpoch) } = options
  const { number } = await chain.head()
  const { epoch: last } = placeOf(number + 1, network.protocol)
  const owners = new Owners()
  const champions: (string | undefined)[] = []
  for (let state = from; state.epoch < last; ) {
    champions.push(state.champion?.hotkey)
    const recomputed = await recomputeEpoch({ ...options, from, owners, champions }, state)
    yield recomputed
    state = recomputed.state
  }
}

/** An epoch's place in what is recomputed. */
interface Stretch extends RecomputeOptions {
  /** The state that it begins with. */
  readonly from: State
  readonly owners: Owners
  /** From its beginning up to the epoch. */
  readonly champions: Champions
}

async function recomputeEpoch(options: Stretch, state: State): Promise<Recomputed> {
  const { chain, openBucket, compare = true } = options
  const { epoch, duel } = state
  const failed: Failed = new Set()
  const ended = compare && (await chain.snapshot(snapshotBlock(epoch + 1, state.protocol)))
  if (ended) options.owners.look(ended)
  const copies = ended && duel && (await openCopies(options, state, { duel, ended, failed }))
  const find: FindLane = async (sought) => {
    const { validator, head, holders } = sought
    const keep: Keep = async (block, bytes, from) => {
      showSamples(bytes, { validator, block: block.hash }, options.onSample)
      if (copies) await copies.compareBlock(sought, { block, bytes, from })
    }
    const sources = holders.flatMap(({ hotkey, url }) => openBucket(hotkey, url) ?? [])
    const read = sourceReader({ sources, keep, failed, check: options.check })
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
  const looked = copies || (await openCopies(options, state, { duel: voting, ended, failed }))
  const differing = looked.flaws([state, settled.state])
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

/** Whose copies are looked at, and what is known of their buckets. */
interface Answering {
  readonly duel: Pick<Duel, 'weights'>
  /** The chain at the epoch's end. */
  readonly ended: Snapshot
  readonly failed: Failed
}

/**
 * The copies that those have who answer for the epoch that `state` governs: voters of `duel` that
 * were due or attested it. What they have of its states is read at once.
 */
async function openCopies(
  { openBucket, from, owners }: Stretch,
  state: State,
  { duel, ended, failed }: Answering,
): Promise<Copies> {
  const { epoch, due } = state
  const said = commitmentsOf(ended)
  const attests = (hotkey: string): boolean => {
    const commitment = said.get(hotkey)
    return commitment?.kind === 'attest' && commitment.epoch === epoch
  }
  const holders = holdersOf(duel, ended)
  const borrowers = owners.borrowers(holders.map(({ hotkey }) => hotkey))
  const sources = holders
    .filter(({ hotkey }) => Object.hasOwn(due, hotkey) || attests(hotkey))
    .filter(({ hotkey }) => !borrowers.has(hotkey))
    .flatMap(({ hotkey, url }) => openBucket(hotkey, url) ?? [])
  const copies = new Copies(sources, failed)
  // All others were read when they were decided.
  if (state === from) await copies.readStates(epoch)
  await copies.readStates(epoch + 1)
  return copies
}

function faultsIn({ lanes }: Settled): readonly Found[] {
  return [...lanes].flatMap(([validator, lane]) => {
    if (lane.ok) return []
    return [{ validator, code: lane.code, detail: lane.detail }]
  })
}
