import type { Generator } from '../../packages/prng/src/index.ts'
import type { DiskFault } from './disk.ts'
import { fewOf, pick } from './draw.ts'
import { type Death, PLACES } from './machine.ts'
import type { World } from './world.ts'

/** The lies of a validator. A liar with a lie tells it in every epoch. */
const LIES = [
  /** It invents its samples: the weakest miner plays perfectly, the others give up. */
  'makes samples up',
  /** It leaves one sample out of its lane. */
  'drops a sample',
  /** It seals two signed lanes for one epoch, and a third one later. */
  'seals twice',
  /** It seals the hash of a block that does not exist. */
  'seals nothing',
  /** It attests every lane, including lanes that it has not read. */
  'attests all',
  'attests none',
  'attests another state',
  /** It attests only epochs in which contenders won more challenges than they lost. */
  'attests what suits it',
  /** Its bucket gives wrong bytes to half of the readers. */
  'serves garbage',
  /** Its bucket lacks half of its files. */
  'forgets files',
  /** Its bucket answers only half of the readers. */
  'serves half',
  /** Its bucket takes nearly half a minute for each answer to half of the readers. */
  'serves slowly',
] as const
export type Lie = (typeof LIES)[number]

/** A fault of the validator with the index `who`. */
export type Fault = { readonly who: number } & (
  | { readonly kind: 'lies'; readonly how: Lie }
  /** Its process dies during an operation and starts again later. */
  | (Death & {
      readonly kind: 'crash'
      /** Its disk keeps everything, loses unsynced data, or loses everything. */
      readonly disk: 'kept' | 'cut' | 'lost'
      readonly downMs: number
    })
  /** One write to its disk fails halfway. */
  | (DiskFault & { readonly kind: 'disk' })
  /** One write to its bucket fails: `lost` without effect, `repeated` after taking effect. */
  | {
      readonly kind: 'write'
      readonly epoch: number
      readonly nth: number
      readonly how: 'lost' | 'repeated'
    }
  /** Trouble from block `from` until before block `to`. */
  | {
      readonly kind: 'bucket' | 'network' | 'node'
      readonly from: number
      readonly to: number
      readonly how: Trouble
    }
  | { readonly kind: 'absent'; readonly from: number; readonly to: number }
)

/**
 * A bucket is `slow` (it answers too late) or `gone` (it never answers). A network is `parted`: its
 * validator cannot read other buckets. A node is `behind` (it announces no new heads), `refuses`
 * every call, is `mute` (it executes calls without an answer), or is `late` (it executes calls
 * blocks later).
 */
export type Trouble = 'slow' | 'gone' | 'parted' | 'behind' | 'refuses' | 'mute' | 'late'

const MOMENTS = ['before', 'half', 'after'] as const
const ENDS = ['kept', 'kept', 'kept', 'cut', 'cut', 'cut', 'lost'] as const
const FATES = ['lost', 'repeated'] as const
/** The top folders of a validator's disk. */
const FOLDERS = ['journal', 'secrets', 'v1', 'incoming'] as const
const TROUBLES = [
  ['bucket', 'slow'],
  ['bucket', 'gone'],
  ['network', 'parted'],
  ['node', 'behind'],
  ['node', 'refuses'],
  ['node', 'mute'],
  ['node', 'late'],
] as const

/**
 * Draws all faults of a world: liars with less than a third of the stake, outages of honest
 * validators, and accidents.
 */
export function drawFaults(world: World, random: Generator): readonly Fault[] {
  const lies = drawLies(world, random)
  const liars = new Set(lies.map(({ who }) => who))
  const honest = world.stakes.flatMap((_, who) => (liars.has(who) ? [] : [who]))
  return [...lies, ...drawOutages(world, honest, random), ...drawAccidents(world, random)]
}

/** Draws liars, each with its own lies, or all with the same lies. */
function drawLies({ stakes }: World, random: Generator): readonly Fault[] {
  const all = stakes.reduce((sum, stake) => sum + stake, 0)
  const max = Math.min(random.integers(0, all), Math.ceil(all / 3) - 1)
  const plot = random.integers(0, 2) === 0 ? drawHows(3, random) : undefined
  const faults: Fault[] = []
  let weight = 0
  for (const who of random.permutation(stakes.length)) {
    const stake = stakes[who]!
    if (weight + stake > max) continue
    weight += stake
    const hows = plot ?? drawHows(random.integers(1, 3), random)
    faults.push(...hows.map((how): Fault => ({ kind: 'lies', who, how })))
  }
  return faults
}

const drawHows = (count: number, random: Generator): readonly Lie[] =>
  random
    .permutation(LIES.length)
    .slice(0, count)
    .map((i) => LIES[i]!)

/**
 * Absent validators, buckets that answer too late or never, and validators that read no other
 * bucket.
 */
const OUTAGES = [
  { kind: 'absent' },
  { kind: 'absent' },
  { kind: 'bucket', how: 'slow' },
  { kind: 'bucket', how: 'gone' },
  { kind: 'network', how: 'parted' },
] as const

const SHARES = ['one', 'a third', 'all'] as const

/** Draws one or two outages for half of the worlds: of one honest validator, a third, or all. */
function drawOutages(world: World, honest: readonly number[], random: Generator): readonly Fault[] {
  const count = random.integers(0, 2) * random.integers(1, 3)
  return Array.from({ length: count }, () => drawOutage(world, honest, random)).flat()
}

/**
 * Draws an outage of one to ten epochs, from any block after the first two epochs, when each
 * validator has committed and has a state. Earlier, liars might have half of the committing stake,
 * from which a validator without a state starts. Protocol §9.4.
 */
function drawOutage(
  { stakes, epochs, protocol }: World,
  honest: readonly number[],
  random: Generator,
): readonly Fault[] {
  const order = random.permutation(honest.length).map((place) => honest[place]!)
  const out = partOf(order, stakes, pick(SHARES, random))
  const blocks = epochs * protocol.epochBlocks
  const from = random.integers(Math.min(2 * protocol.epochBlocks, blocks - 1), blocks)
  const to = Math.min(from + protocol.epochBlocks * random.integers(1, 11), blocks)
  const outage = pick(OUTAGES, random)
  return out.map((who) => ({ ...outage, who, from, to }))
}

/** Returns the first validator of `order`, the first ones with a third of all stake, or all. */
function partOf(
  order: readonly number[],
  stakes: readonly number[],
  share: (typeof SHARES)[number],
): readonly number[] {
  if (share === 'all') return order
  if (share === 'one') return order.slice(0, 1)
  const third = stakes.reduce((sum, stake) => sum + stake, 0) / 3
  let weight = 0
  return order.filter((who) => {
    const isWanted = weight < third
    weight += stakes[who]!
    return isWanted
  })
}

function drawAccidents(world: World, random: Generator): readonly Fault[] {
  const count = random.integers(0, 2 * world.epochs)
  return Array.from({ length: count }, () => drawAccident(world, random)).flat()
}

const ACCIDENTS = ['crash', 'crash', 'disk', 'write', 'absent', 'trouble', 'trouble'] as const

function drawAccident(world: World, random: Generator): readonly Fault[] {
  const { stakes, epochs, protocol } = world
  const who = random.integers(0, stakes.length)
  const epoch = random.integers(0, epochs)
  const blocks = epochs * protocol.epochBlocks
  const from = random.integers(0, blocks)
  const until = (length: number): number => Math.min(from + length, blocks)
  const kind = pick(ACCIDENTS, random)
  switch (kind) {
    case 'crash':
      return drawCrashes({ who, epoch }, random)
    case 'disk': {
      const place = pick(FOLDERS, random)
      const code = pick(['EIO', 'ENOSPC'], random)
      return [{ kind, who, epoch, place, op: 1 + fewOf(30, random), code }]
    }
    case 'write':
      return [{ kind, who, epoch, nth: 1 + fewOf(10, random), how: pick(FATES, random) }]
    case 'absent':
      return [{ kind, who, from, to: until(40) }]
    case 'trouble': {
      const [what, how] = pick(TROUBLES, random)
      return [{ kind: what, who, from, to: until(random.integers(1, 12)), how }]
    }
  }
}

/** Draws one to three crashes. Each process starts with the disk that the previous one left. */
function drawCrashes(
  when: { readonly who: number; readonly epoch: number },
  random: Generator,
): readonly Fault[] {
  return Array.from({ length: random.integers(1, 4) }, () => ({
    kind: 'crash',
    ...when,
    place: pick(PLACES, random),
    op: 1 + fewOf(60, random),
    when: pick(MOMENTS, random),
    disk: pick(ENDS, random),
    downMs: random.integers(1, 30_000),
  }))
}

/** Returns the first and the last epoch that a fault affects. */
export function epochsOf(fault: Fault, { protocol, epochs }: World): readonly [number, number] {
  if (fault.kind === 'lies') return [0, epochs]
  if ('epoch' in fault) return [fault.epoch, fault.epoch]
  const epochOf = (block: number): number => Math.floor(block / protocol.epochBlocks)
  return [epochOf(fault.from), epochOf(fault.to)]
}
