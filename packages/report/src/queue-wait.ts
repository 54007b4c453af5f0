import type { Neuron, Snapshot } from '@affine/chain'
import type { State } from '@affine/duel'
import { formatWait } from './text.ts'

/**
 * Number of epochs (a day) in which ended turns are counted, and minimum number of ended turns from
 * which a rate is computed.
 */
const [COUNTED_EPOCHS, FEWEST_TURNS] = [20, 16]
/**
 * Mean epochs of a duel: shortest among weak contenders, longest among strong contenders and
 * winners.
 */
const [SHORTEST, LONGEST] = [1, 6.5]
/**
 * 9 of 10 waits in a simulated queue (`bench queue`) were between these multiples of the estimate
 * from the previous day.
 */
const [FASTER, SLOWER] = [0.8, 1.25]

/** Minimum and maximum epochs until a turn; 1 for a turn in the next epoch. */
export type EpochRange = Readonly<Record<'least' | 'most', number>>

/**
 * Estimates the epochs until the turn of the miner at `place` of the queue, from 1, by the turns
 * that ended in the last 20 epochs or, if fewer than 16 ended, by the mean length of duels in
 * simulated queues.
 */
export function estimateTurn(place: number, state: State): EpochRange {
  const { epoch, duels, lastPlayed, protocol } = state
  const ahead = Math.max(0, place + duels.length - protocol.duelsMost)
  const since = (epoch - COUNTED_EPOCHS) * protocol.epochBlocks
  const ended = Object.values(lastPlayed).filter(({ left = -1 }) => left >= since).length
  const slots = protocol.duelsMost
  const [least, most] =
    ended < FEWEST_TURNS
      ? [SHORTEST / slots, LONGEST / slots]
      : [(FASTER * COUNTED_EPOCHS) / ended, (SLOWER * COUNTED_EPOCHS) / ended]
  return {
    least: Math.max(1, Math.floor(ahead * least)),
    most: Math.max(1, Math.ceil(ahead * most)),
  }
}

/** The eviction of a neuron without earnings. */
export interface Eviction {
  /**
   * Number of the registration that evicts the neuron, 1 for the next, unless a neuron in between
   * starts to earn.
   */
  readonly registrations: number
  /** Blocks until the neuron can be evicted. */
  readonly immuneBlocks: number
}

/**
 * Predicts the eviction of a neuron without earnings: after the neurons without earnings that
 * registered earlier. Undefined with earnings; a permit, the throne and the subnet's ownership
 * count as earnings.
 *
 * Source: subtensor, `get_neuron_to_prune`, without its rule that evicts an immune neuron while
 * at most ten neurons are not immune.
 */
export function predictEviction(
  neuron: Neuron,
  { neurons, owner, head, maxUids, immunityPeriod }: Snapshot,
  { champion }: Pick<State, 'champion'>,
): Eviction | undefined {
  const earlier = neurons
    .filter(({ permit, hotkey }) => !permit && hotkey !== owner && hotkey !== champion?.hotkey)
    .sort((a, b) => a.registered - b.registered || a.uid - b.uid)
    .indexOf(neuron)
  if (earlier === -1) return undefined
  const free = Math.max(0, maxUids - neurons.length)
  const immuneBlocks = Math.max(0, neuron.registered + immunityPeriod - head.number)
  return { registrations: free + earlier + 1, immuneBlocks }
}

/** Describes the queue position, turn and eviction of a waiting miner. */
export function describeWait(
  [place, waiting]: readonly [number, number],
  turn: EpochRange,
  eviction: Eviction | undefined,
): string {
  const wait = `waits, at place ${place} of ${waiting}: its turn begins in ${formatWait(turn)}`
  if (eviction === undefined) return wait
  const { registrations, immuneBlocks } = eviction
  const immune = immuneBlocks > 0 ? `, in ${immuneBlocks} blocks at the earliest` : ''
  return `${wait}; registration number ${registrations} from now evicts it${immune}`
}
