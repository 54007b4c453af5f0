import type { Sample } from '@affine/blocks'
import { type Duel, firstState, type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import type { PublicData } from './attested-state.ts'
import { checkLane } from './checked-lane.ts'
import { Copies, type Flaw, type Found } from './copies.ts'
import { holdersOf } from './holders.ts'
import { type FindLane, type Settled, settleEpoch } from './settle.ts'
import { commitmentsOf } from './snapshot.ts'
import { type Failed, type Keep, type Source, sourceReader } from './sources.ts'
import { placeOf, snapshotBlock } from './timetable.ts'

/** One epoch, recomputed from bytes. */
export type Recomputed = Settled & { readonly epoch: number; readonly flaws: readonly Flaw[] }

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
  readonly onSample?: (sample: Sample, place: SamplePlace) => void
}

/**
 * Decides every epoch that the chain has closed, from the network's first or `from` on, and says of
 * each what did not hold. Lanes are read from the buckets of the duel's voters alone: from their
 * validator's own, then from their attesters', then from any other; all attested copies are
 * compared. Holds one block at a time, and of its copies a few.
 *
 * @throws Unavailable when data that an epoch needs is nowhere: what comes after cannot be decided.
 */
export async function* recompute(options: RecomputeOptions): AsyncGenerator<Recomputed, void> {
  const { chain, network, from = firstState(network.protocol, network.firstEpoch) } = options
  const { number } = await chain.head()
  const { epoch: last } = placeOf(number + 1, network.protocol)
  for (let state = from; state.epoch < last; ) {
    const recomputed = await recomputeEpoch(options, state)
    yield recomputed
    state = recomputed.state
  }
}

async function recomputeEpoch(options: RecomputeOptions, state: State): Promise<Recomputed> {
  const { chain, openBucket, compare = true } = options
  const { epoch, duel } = state
  const failed: Failed = new Set()
  const copies = compare ? new Copies(await answering(options, state, duel), failed) : undefined
  await copies?.readStates(epoch + 1)
  const found: Found[] = []
  const find: FindLane = async (sought) => {
    const { validator, head, holders } = sought
    const keep: Keep = async (block, bytes, from) => {
      const place = { validator, block: block.hash }
      for (const sample of block.samples) options.onSample?.(sample, place)
      await copies?.compareBlock(sought, { block, bytes, from })
    }
    const sources = holders.flatMap(({ hotkey, url }) => openBucket(hotkey, url) ?? [])
    const read = sourceReader(sources, keep, failed)
    const lane = await checkLane({ chain, state, validator, head, read })
    if (!lane.ok) found.push({ validator, code: lane.code, detail: lane.detail })
    return lane
  }
  // Whoever compares looks at every lane that is due.
  const settled = await settleEpoch(options, state, {
    find: oneByOne(find),
    isWanted: () => compare,
  })
  found.push(...(copies?.flaws([settled.state]) ?? []), ...wrongRoots(settled))
  return { epoch, ...settled, flaws: found.map((flaw) => ({ epoch, ...flaw })) }
}
/**
 * The buckets of those who answer for the epoch that `state` governs: voters of `duel` that were
 * due or attested it.
 */
async function answering(
  { chain, openBucket }: PublicData,
  { epoch, due, protocol }: State,
  duel: Duel | undefined,
): Promise<readonly Source[]> {
  const ended = await chain.snapshot(snapshotBlock(epoch + 1, protocol))
  const said = commitmentsOf(ended)
  const attests = (hotkey: string): boolean => {
    const commitment = said.get(hotkey)
    return commitment?.kind === 'attest' && commitment.epoch === epoch
  }
  return holdersOf(duel, ended)
    .filter(({ hotkey }) => Object.hasOwn(due, hotkey) || attests(hotkey))
    .flatMap(({ hotkey, url }) => openBucket(hotkey, url) ?? [])
}

/** Lanes one after the other: their blocks are large. */
function oneByOne(find: FindLane): FindLane {
  let before: Promise<unknown> = Promise.resolve()
  return (sought) => {
    const lane = before.then(() => find(sought))
    before = lane.catch(() => undefined)
    return lane
  }
}

/** What voters attest must be the root of the state before. Protocol §8.3. */
function wrongRoots({ before, snapshot }: Settled): readonly Found[] {
  const root = stateRoot(before)
  const weights = before.duel?.weights ?? {}
  return snapshot.validators.flatMap(({ hotkey, attest }) => {
    if (!Object.hasOwn(weights, hotkey)) return []
    if (attest?.epoch !== before.epoch || attest.stateRoot === root) return []
    const detail = `expected ${root}, got ${attest.stateRoot}`
    return [{ validator: hotkey, code: 'WRONG_ROOT_ATTESTED' as const, detail }]
  })
}
