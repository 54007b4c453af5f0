import { readBlock, type Sample } from '@affine/blocks'
import type { Snapshot } from '@affine/chain'
import { type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import pLimit from 'p-limit'
import { createFirstState, type PublicData } from './attested-state.ts'
import { BLOCKS_AT_ONCE, type BlockPlaces, BucketReader, type CheckBlock } from './bucket-reader.ts'
import { type Choose, Copies, type Flaw, type FoundBlock, type UndatedFlaw } from './copies.ts'
import { checkLane, decideEpoch, type EpochResult, type FindLane } from './epoch-decision.ts'
import {
  decodeCommitments,
  findRecipient,
  listHolders,
  locateBlock,
  readSnapshot,
  snapshotBlock,
} from './on-chain.ts'
import {
  countVotes,
  findAttestationFlaws,
  findWithheldBits,
  type Recipients,
  type Votes,
  type Warning,
} from './on-chain-faults.ts'

export interface SamplePlace {
  readonly validator: string
  readonly block: Hash
  /** Index among the block's samples, from 0. */
  readonly line: number
}

type OnSample = (sample: Sample, place: SamplePlace) => void

/** The result of one epoch, recomputed from the chain and the files in buckets. */
export interface RecomputedEpoch extends EpochResult {
  readonly epoch: number
  readonly flaws: readonly Flaw[]
  /** Empty if `compare` is false. */
  readonly warnings: readonly Warning[]
  /**
   * Weights on chain at the end of the epoch. Undefined if `compare` is false, if no registered
   * hotkey is owed them, or while `recipients` lack an epoch whose weights may still be in force.
   */
  readonly votes: Votes | undefined
}

export interface RecomputeOptions extends PublicData {
  /** State of the first epoch to recompute; it is trusted. Default: the network's first state. */
  readonly from?: State
  /** Recipients of all weight in the epochs before `from`, as far as known. */
  readonly recipients?: Recipients
  /** Last epoch to recompute. Default: the last that the chain has closed. */
  readonly to?: number | undefined
  /**
   * Whether all due lanes, copies, attestations and weights are compared. If false, only the lanes
   * that a decision needs are read, one authentic copy each. Default: true.
   */
  readonly compare?: boolean
  /**
   * Chooses the copies of a block to compare. Default: all. The states in all buckets are compared
   * too. With null no blocks are compared, and states only in the last epoch.
   */
  readonly choose?: Choose | null | undefined
  /**
   * Receives the samples of every valid lane once it is verified, and none of a void lane. The
   * order is always the same: one lane after the other, each from its first sample. The blocks of
   * `lanesAtOnce` lanes are held in memory, at most 256 MiB in addition to the lane passed on next.
   * Without `onSample` no lane is held.
   */
  readonly onSample?: OnSample | undefined
  /** Default: audits blocks in this thread. */
  readonly check?: CheckBlock
  /** Number of lanes read in parallel, at most 32, each one block at a time. Default: 1. */
  readonly lanesAtOnce?: number | undefined
}

/**
 * Decides every epoch from that of `from` to `to`, and yields each result with its flaws, which do
 * not depend on `from`. Each lane is read only from the buckets of the epoch's voters. Without
 * `onSample`, holds in memory one block of each lane in progress, and at most 32 copies and 32 late
 * answers.
 *
 * @throws UnavailableError if data that an epoch needs is unavailable. RangeError if `to` has not
 *   ended, or precedes the epoch of `from`.
 */
export async function* recompute(options: RecomputeOptions): AsyncGenerator<RecomputedEpoch, void> {
  const { chain, network } = options
  const { from = createFirstState(network) } = options
  const { number } = await chain.head()
  const open = locateBlock(number + 1, network.protocol).epoch
  const { to = open - 1 } = options
  if (to >= open)
    throw new RangeError(`epoch ${to} has not ended; the last ended epoch is ${open - 1}`)
  if (to < from.epoch && options.to !== undefined)
    throw new RangeError(`epoch ${to} precedes the first epoch to recompute, ${from.epoch}`)
  const reader = new BucketReader(options)
  const recipients = [...(options.recipients ?? [])]
  for (let state = from; state.epoch <= to; ) {
    recipients.push(findRecipient(state, await readSnapshot(chain, state)))
    const recomputed = await recomputeEpoch({ ...options, to, reader, recipients }, state)
    yield recomputed
    state = recomputed.state
  }
}

interface EpochOptions extends RecomputeOptions {
  readonly reader: BucketReader
  /** Recipients of all weight up to and including this epoch. */
  readonly recipients: Recipients
}

async function recomputeEpoch(options: EpochOptions, state: State): Promise<RecomputedEpoch> {
  const { chain, reader, to, compare = true, onSample, lanesAtOnce } = options
  const { epoch } = state
  reader.beginEpoch(state)
  const ended = compare && (await chain.snapshot(snapshotBlock(epoch + 1, state.protocol)))
  const choose = options.choose === null ? () => [] : options.choose
  const isCompared = options.choose !== null || epoch === to
  const copies = ended && isCompared ? openCopies(ended, state, reader, choose) : undefined
  const find = createLaneFinder({ chain, state, reader, copies, onSample, lanesAtOnce })
  const settled = await decideEpoch(options, state, find, () => compare)
  const differing = (await copies?.flaws()) ?? []
  const undated = [...listLaneFlaws(settled), ...differing, ...findAttestationFlaws(settled)]
  const flaws = undated.map((flaw) => ({ epoch, ...flaw }))
  if (!ended) return { epoch, ...settled, flaws, warnings: [], votes: undefined }
  const votes = await countVotes(chain, ended, options.recipients, settled)
  const warnings = [...findWithheldBits(settled), ...(votes?.others ?? [])]
  return { epoch, ...settled, flaws, warnings, votes }
}

/**
 * Opens the buckets of the voters that were due in an epoch or attested it, to compare copies. The
 * attestations and the buckets' addresses are those on chain at the epoch's end.
 */
function openCopies(
  ended: Snapshot,
  state: State,
  reader: BucketReader,
  choose: Choose | undefined,
): Copies {
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
  const { failed, times } = reader
  return new Copies(sources, { failed, lost: times.lost, state, attesters, choose })
}

interface LaneReading extends Pick<EpochOptions, 'chain' | 'reader' | 'onSample' | 'lanesAtOnce'> {
  /** State that governs the epoch. */
  readonly state: State
  /** Default: blocks are not compared. */
  readonly copies?: Copies | undefined
  /**
   * Bytes of blocks held for `onSample` above which only the lane passed on next is read. Default:
   * 256 MiB.
   */
  readonly heldBytes?: number
}

/**
 * Returns a function that finds an epoch's lanes in buckets, `lanesAtOnce` in parallel. `onSample`
 * receives valid lanes in the order of the requests, so a lane's promise settles only after the
 * samples of the lanes before it were passed on.
 */
export function createLaneFinder(reading: LaneReading): FindLane {
  const { chain, state, reader, copies, onSample } = reading
  const { lanesAtOnce = 1, heldBytes = 268_435_456 } = reading
  // A lane is read one block at a time, so the limit of concurrent blocks also limits lanes.
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
    const keep: BlockPlaces['keep'] = async (foundBlock) => {
      if (onSample) await hold(foundBlock)
      await copies?.compareBlock(sought, foundBlock)
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

/** Passes the samples of a valid lane to `onSample`, from its first block on. */
function showSamples(blocks: readonly FoundBlock[], validator: string, onSample: OnSample): void {
  for (const { block, bytes } of [...blocks].reverse()) {
    const { hash } = block
    const read = readBlock(bytes, { hash, verify: () => true })
    if (!read.ok) continue
    for (const [line, sample] of read.value.samples.entries())
      onSample(sample, { validator, block: hash, line })
  }
}

function listLaneFlaws({ lanes }: EpochResult): readonly UndatedFlaw[] {
  return [...lanes].flatMap(([validator, lane]) => {
    if (lane.ok) return []
    return [{ validator, code: lane.code, detail: lane.detail }]
  })
}
