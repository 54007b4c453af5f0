import type { Generator } from '../../packages/prng/src/index.ts'
import { pick } from './draw.ts'
import type { Fault } from './faults.ts'
import type { World } from './world.ts'

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
export function drawOutages(
  world: World,
  honest: readonly number[],
  random: Generator,
): readonly Fault[] {
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
