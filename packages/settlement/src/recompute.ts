import { readBlock, type Sample } from '@affine/blocks'
import type { State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import pLimit from 'p-limit'
import { firstStateOf, type PublicData } from './attested-state.ts'
import {
  BLOCKS_AT_ONCE,
  type BlockPlaces,
  BucketReader,
  type CheckBlock,
  type FoundBlock,
} from './bucket-reader.ts'
import { type Choose, type Copies, openCopies } from './copies.ts'
import type { Flaw, UndatedFlaw } from './copy.ts'
import { checkLane, decideEpoch, type FindLane, type Settled } from './epoch-decision.ts'
import { placeOf, recipientOf, snapshotBlock, snapshotOf } from './on-chain.ts'
import {
  findAttestationFlaws,
  type Recipients,
  type Votes,
  countVotes,
  type Warning,
  findWithheldBits,
} from './on-chain-faults.ts'
import type { Waits } from './waiting.ts'

/** Whose lane and which block a sample is in. */
export interface SamplePlace {
  readonly validator: string
  readonly block: Hash
}

/** Sees samples. */
type OnSample = (sample: Sample, place: SamplePlace) => void

/** One epoch, recomputed from bytes. */
export interface Recomputed extends Settled {
  readonly epoch: number
  readonly flaws: readonly Flaw[]
  /** None without comparing. */
  readonly warnings: readonly Warning[]
  /** Of the weights on chain at its end; undefined without comparing. */
  readonly votes: Votes | undefined
}

export interface RecomputeOptions extends PublicData {
  /** The state to begin with, taken as it is; the network's first without. */
  readonly from?: State
  /** Who got all weight in the epochs right before, as far as they are known. */
  readonly recipients?: Recipients
  /** The epoch to end with; the last that the chain has closed without. */
  readonly to?: number | undefined
  /** False: takes one authentic copy of what it needs, and looks at no other. */
  readonly compare?: boolean
  /**
   * Whose copies of a block are compared, of all who answer for one; all without. Everyone's states
   * are then compared too. Null: no copies are, of blocks or states.
   */
  readonly choose?: Choose | null | undefined
  /**
   * Sees the samples of every lane that is whole, once it is known to be, and none of a void one:
   * the lanes one after the other, their order always the same, each from its first sample on.
   * Lanes that are read are held meanwhile: `lanesAtOnce` of them, of some 1.3 kB a sample where
   * replies are short, and of at most 128 KiB. Nothing is held without.
   */
  readonly onSample?: OnSample | undefined
  /** Is told at the end, whatever it is, how long buckets were waited for. */
  readonly onWaits?: (waits: Waits) => void
  /** Audits blocks; without, it is done in this thread. */
  readonly check?: CheckBlock
  /** How many lanes are read side by side, each a block at a time: at most 32, one without. */
  readonly lanesAtOnce?: number | undefined
}

/**
 * Decides every epoch that the chain has closed, from the network's first or `from` on, and says of
 * each what did not hold. Lanes are read from the buckets of the epoch's voters alone: from their
 * attesters' in turn, then from their validator's own, then from any other; all attested copies are
 * compared. Holds a block of each lane that it reads, 32 copies, and 32 late answers.
 *
 * What it finds of an epoch does not depend on where it began, but for `votes` where `recipients`
 * are not known as far back as weights may wait.
 *
 * @throws Unavailable when data that an epoch needs is nowhere: what comes after cannot be decided.
 *   RangeError when `to` has not ended, or comes before the beginning.
 */
export async function* recompute(options: RecomputeOptions): AsyncGenerator<Recomputed, void> {
  const { chain, network } = options
  const { from = firstStateOf(network) } = options
  const { number } = await chain.head()
  const open = placeOf(number + 1, network.protocol).epoch
  const { to = open - 1 } = options
  if (to >= open)
    throw new RangeError(`epoch ${to} has not ended, the last that has is ${open - 1}`)
  if (to < from.epoch && options.to !== undefined)
    throw new RangeError(`epoch ${to} comes before the one to begin with, ${from.epoch}`)
  const reader = new BucketReader(options)
  const recipients = [...(options.recipients ?? [])]
  try {
    for (let state = from; state.epoch <= to; ) {
      recipients.push(recipientOf(state, await snapshotOf(chain, state)))
      const recomputed = await recomputeEpoch({ ...options, reader, recipients }, state)
      yield recomputed
      state = recomputed.state
    }
  } finally {
    options.onWaits?.(reader.waits)
  }
}

interface EpochOptions extends RecomputeOptions {
  readonly reader: BucketReader
  /** Up to the epoch's. */
  readonly recipients: Recipients
}

async function recomputeEpoch(options: EpochOptions, state: State): Promise<Recomputed> {
  const { chain, reader, compare = true, choose, onSample, lanesAtOnce } = options
  const { epoch } = state
  reader.beginEpoch(state)
  const ended = compare && (await chain.snapshot(snapshotBlock(epoch + 1, state.protocol)))
  const copies = ended && choose !== null ? openCopies(ended, { reader, state, choose }) : undefined
  const find = createLaneFinder({ chain, state, reader, copies, onSample, lanesAtOnce })
  // Whoever compares looks at every lane that is due.
  const settled = await decideEpoch(options, state, find, () => compare)
  const differing = (await copies?.flaws()) ?? []
  const found = [...listLaneFlaws(settled), ...differing, ...findAttestationFlaws(settled)]
  const flaws = found.map((flaw) => ({ epoch, ...flaw }))
  if (!ended) return { epoch, ...settled, flaws, warnings: [], votes: undefined }
  const votes = await countVotes(chain, ended, options.recipients, settled)
  const warnings = [...findWithheldBits(settled), ...(votes?.others ?? [])]
  return { epoch, ...settled, flaws, warnings, votes }
}

interface LaneReading extends Pick<EpochOptions, 'chain' | 'reader' | 'onSample' | 'lanesAtOnce'> {
  /** Governs the epoch. */
  readonly state: State
  /** Where blocks are compared, if they are. */
  readonly copies?: Copies | undefined
  /** Blocks that wait to be shown have so many bytes together, but for those of the next lane. */
  readonly heldBytes?: number
}

/**
 * Finds an epoch's lanes in buckets, so many side by side. The samples of those that are whole are
 * shown one lane after the other, in the order in which the lanes were asked for: a lane that is
 * read ends once those before it were shown.
 */
export function createLaneFinder(reading: LaneReading): FindLane {
  const { chain, state, reader, copies, onSample } = reading
  const { lanesAtOnce = 1, heldBytes = 268_435_456 } = reading
  // Each has one block at a time.
  const limit = pLimit(Math.min(lanesAtOnce, BLOCKS_AT_ONCE))
  let held = 0
  let shown: Promise<unknown> = Promise.resolve()
  const find: FindLane = async (sought) => {
    const { validator, head, holders } = sought
    const beforeShown = shown
    const blocks: FoundBlock[] = []
    const hold = async (block: FoundBlock): Promise<void> => {
      const { length } = block.bytes
      if (held + length > heldBytes) await beforeShown
      held += length
      blocks.push(block)
    }
    const keep: BlockPlaces['keep'] = async (found) => {
      if (onSample) await hold(found)
      await copies?.compareBlock(sought, found)
    }
    const read = reader.blocks({ holders, ...((onSample || copies) && { keep }) })
    const checking = checkLane({ chain, state, validator, head, read })
    if (!onSample) return checking
    const showing = Promise.all([checking, beforeShown]).then(([lane]) => {
      if (lane.ok) showSamples(blocks, validator, onSample)
      return lane
    })
    shown = Promise.allSettled([showing, beforeShown]).then(() => {
      held -= blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
    })
    return showing
  }
  return (sought) => limit(find, sought)
}

/** Reads the blocks of a whole lane once more, the first one first. */
function showSamples(blocks: readonly FoundBlock[], validator: string, onSample: OnSample): void {
  for (const { block, bytes } of [...blocks].reverse()) {
    const { hash } = block
    const read = readBlock(bytes, { hash, verify: () => true })
    if (!read.ok) continue
    for (const sample of read.value.samples) onSample(sample, { validator, block: hash })
  }
}

function listLaneFlaws({ lanes }: Settled): readonly UndatedFlaw[] {
  return [...lanes].flatMap(([validator, lane]) => {
    if (lane.ok) return []
    return [{ validator, code: lane.code, detail: lane.detail }]
  })
}
