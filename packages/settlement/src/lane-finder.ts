import { readBlock, type Sample } from '@affine/blocks'
import type { State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import pLimit from 'p-limit'
import type { PublicData } from './attested-state.ts'
import { type CheckedLane, checkLane } from './checked-lane.ts'
import type { Copies } from './copies.ts'
import { Room } from './room.ts'
import type { FindLane, Sought } from './settle.ts'
import { type CheckBlock, type Failed, type Keep, sourceReader } from './sources.ts'

/** Whose lane and which block a sample is in. */
export interface SamplePlace {
  readonly validator: string
  readonly block: Hash
}

/** Sees samples. */
export type OnSample = (sample: Sample, place: SamplePlace) => void

/** How the lanes of an epoch are read. */
interface LaneSearch extends PublicData {
  /** Governs the epoch. */
  readonly state: State
  /** Where blocks are compared, if they are. */
  readonly copies: Copies | undefined
  readonly failed: Failed
  readonly onSample?: OnSample | undefined
  readonly check?: CheckBlock
  readonly lanesAtOnce?: number
}

/** A lane, and if anybody wants its samples its blocks, from the head back. */
interface ReadLane {
  readonly lane: CheckedLane
  readonly blocks: readonly KeptBlock[]
}

interface KeptBlock {
  readonly hash: Hash
  readonly bytes: Uint8Array
}

/** Blocks that wait to be shown have so many bytes together, but for those of the next lane. */
const ROOM_BYTES = 268_435_456
/** The most lanes that are read side by side: each has a block of up to 8 MiB at a time. */
const MOST_LANES = 32

/**
 * Finds an epoch's lanes in buckets, so many side by side. The samples of those that are whole are
 * shown one lane after the other, in the order in which the lanes were asked for: a lane that is
 * read ends once those before it were shown.
 */
export function laneFinder(finding: LaneSearch): FindLane {
  const { onSample, lanesAtOnce = 1 } = finding
  const limit = pLimit(Math.min(lanesAtOnce, MOST_LANES))
  const room = new Room(ROOM_BYTES)
  let turns = 0
  let shown: Promise<unknown> = Promise.resolve()
  const find: FindLane = async (sought) => {
    if (onSample === undefined) return readLane(finding, sought)
    const turn = turns
    turns += 1
    const blocks: KeptBlock[] = []
    const keep = async (block: KeptBlock): Promise<void> => {
      await room.take(block.bytes.length, turn)
      blocks.push(block)
    }
    const reading = readLane(finding, sought, keep)
    const showing = Promise.all([reading, shown]).then(([lane]) => {
      showSamples({ lane, blocks }, sought.validator, onSample)
      return lane
    })
    shown = Promise.allSettled([showing, shown]).then(() =>
      room.endTurn(blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)),
    )
    return showing
  }
  return (sought) => limit(find, sought)
}

async function readLane(
  { chain, state, openBucket, copies, failed, check, clock }: LaneSearch,
  sought: Sought,
  onBlock?: (block: KeptBlock) => Promise<void>,
): Promise<CheckedLane> {
  const { validator, head, holders } = sought
  const keep: Keep = async (block, read) => {
    await onBlock?.({ hash: block.hash, bytes: read.bytes })
    await copies?.compareBlock(sought, { block, ...read })
  }
  const sources = holders.flatMap(({ hotkey, url }) => openBucket(hotkey, url) ?? [])
  const isKept = onBlock !== undefined || copies !== undefined
  const read = sourceReader({ sources, failed, check, clock, ...(isKept && { keep }) })
  return checkLane({ chain, state, validator, head, read })
}

/** Reads the blocks of a whole lane once more, the first one first. */
function showSamples({ lane, blocks }: ReadLane, validator: string, onSample: OnSample): void {
  if (!lane.ok) return
  for (const { hash, bytes } of [...blocks].reverse()) {
    const block = readBlock(bytes, { hash, verify: () => true })
    if (!block.ok) continue
    for (const sample of block.value.samples) onSample(sample, { validator, block: hash })
  }
}
