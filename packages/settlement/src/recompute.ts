import type { Block, Sample } from '@affine/blocks'
import { firstState, type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import type { PublicData } from './attested-state.ts'
import { Copies, type Flaw, type Found } from './copies.ts'
import { checkLane, type FindLane, type Settled, settleEpoch } from './settle.ts'
import { bucketUrls } from './snapshot.ts'
import { type Source, sourceReader } from './sources.ts'
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
 * each what did not hold. Lanes are read from their validator's own bucket, then from any other;
 * all attested copies are compared. Holds one block at a time.
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
  const { compare = true } = options
  const { epoch } = state
  const sources = await openSources(options, state)
  const copies = new Copies(compare ? sources : [])
  const found: Found[] = []
  const findLane: FindLane = async (validator, head) => {
    const keep = async (block: Block, bytes: Uint8Array): Promise<void> => {
      const place = { validator, block: block.hash }
      for (const sample of block.samples) options.onSample?.(sample, place)
      await copies.compareBlock(validator, block, bytes)
    }
    const read = sourceReader(ownFirst(sources, validator), keep)
    const lane = await checkLane({ chain: options.chain, state, validator, head, read })
    if (!lane.ok) found.push({ validator, code: lane.code, detail: lane.detail })
    return lane
  }
  const settled = await settleEpoch(options, state, oneByOne(findLane))
  found.push(...(await copies.flaws(settled)), ...wrongRoots(settled))
  return { epoch, ...settled, flaws: found.map((flaw) => ({ epoch, ...flaw })) }
}

/** The buckets announced at the end of the epoch that `state` governs. */
async function openSources({ chain, openBucket }: PublicData, state: State): Promise<Source[]> {
  const ended = await chain.snapshot(snapshotBlock(state.epoch + 1, state.protocol))
  return [...bucketUrls(ended)].flatMap(([hotkey, url]) => openBucket(hotkey, url) ?? [])
}

/** A lane is read from its own validator first. */
function ownFirst(sources: readonly Source[], validator: string): readonly Source[] {
  const own = sources.filter(({ name }) => name === validator)
  return [...own, ...sources.filter(({ name }) => name !== validator)]
}

/** Lanes one after the other: their blocks are large. */
function oneByOne(findLane: FindLane): FindLane {
  let before: Promise<unknown> = Promise.resolve()
  return (validator, head) => {
    const lane = before.then(() => findLane(validator, head))
    before = lane.catch(() => undefined)
    return lane
  }
}

/** Attested roots must be that of the state before. Protocol §8.3. */
function wrongRoots({ before, snapshot }: Settled): readonly Found[] {
  const root = stateRoot(before)
  return snapshot.validators.flatMap(({ hotkey, attest }) => {
    if (attest?.epoch !== before.epoch || attest.stateRoot === root) return []
    const detail = `expected ${root}, got ${attest.stateRoot}`
    return [{ validator: hotkey, code: 'WRONG_ROOT_ATTESTED' as const, detail }]
  })
}
