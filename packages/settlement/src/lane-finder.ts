import { readBlock, type Sample } from '@affine/blocks'
import type { State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import pLimit from 'p-limit'
import type { PublicData } from './attested-state.ts'
import { type CheckedLane, checkLane } from './checked-lane.ts'
import type { Copies } from './copies.ts'
import { type Copy, copyOf } from './copy.ts'
import type { FindLane, Sought } from './settle.ts'
import { type CheckBlock, type Failed, type Keep, type Refuse, sourceReader } from './sources.ts'

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
  readonly blocks: readonly { readonly hash: Hash; readonly bytes: Uint8Array }[]
}

/**
 * Finds an epoch's lanes in buckets, so many side by side. The samples of those that are whole are
 * shown one lane after the other, in the order in which the lanes were asked for: a lane that is
 * read ends once those before it were shown.
 */
export function laneFinder(finding: LaneSearch): FindLane {
  const { onSample, lanesAtOnce = 1 } = finding
  const limit = pLimit(lanesAtOnce)
  let shown: Promise<unknown> = Promise.resolve()
  const find: FindLane = async (sought) => {
    const reading = readLane(finding, sought)
    if (onSample === undefined) return (await reading).lane
    const showing = Promise.all([reading, shown]).then(([read]) => {
      showSamples(read, sought.validator, onSample)
      return read.lane
    })
    shown = showing.catch(() => undefined)
    return showing
  }
  return (sought) => limit(find, sought)
}

async function readLane(
  { chain, state, openBucket, copies, failed, onSample, check }: LaneSearch,
  sought: Sought,
): Promise<ReadLane> {
  const { validator, head, holders } = sought
  const blocks: { hash: Hash; bytes: Uint8Array }[] = []
  const refused = new Map<string, Copy>()
  const keep: Keep = async (block, bytes, from) => {
    if (onSample) blocks.push({ hash: block.hash, bytes })
    await copies?.compareBlock(sought, { block, bytes, from, refused })
    refused.clear()
  }
  const sources = holders.flatMap(({ hotkey, url }) => openBucket(hotkey, url) ?? [])
  const refuse: Refuse = (from, answer, hash) => refused.set(from, copyOf(answer, hash))
  const reading = { sources, failed, check, ...((onSample || copies) && { keep }) }
  const read = sourceReader(copies ? { ...reading, refuse } : reading)
  return { lane: await checkLane({ chain, state, validator, head, read }), blocks }
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
