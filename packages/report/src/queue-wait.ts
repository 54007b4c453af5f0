import type { State } from '@affine/duel'

/** Epochs of a day, in which ended turns are counted; minimum count for a rate. */
const [COUNTED_EPOCHS, FEWEST_TURNS] = [20, 16]
/** Mean epochs of a duel: of weak contenders; of strong contenders with winners among them. */
const [SHORTEST, LONGEST] = [1, 6.5]
/**
 * In 9 of 10 waits of a simulated queue (`bench queue`), the wait was between these multiples of
 * the estimate from the previous day.
 */
const [FASTER, SLOWER] = [0.8, 1.25]

/** Minimum and maximum epochs until a turn. The next epoch is 1. */
export interface EpochRange {
  readonly least: number
  readonly most: number
}

/**
 * Estimates the epochs until the turn of the miner at `place` of the queue, from 1, by the turns
 * that ended in the last 20 epochs. If there were too few, estimates by the shortest and longest
 * duels of simulated queues.
 */
export function estimateTurn(
  place: number,
  { epoch, duels, lastPlayed, protocol }: State,
): EpochRange {
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

/** Describes the queue position and the turn of a waiting miner. */
export function describeWait(
  [place, waiting]: readonly [number, number],
  { least, most }: EpochRange,
): string {
  const epochs = least === most ? `${most}` : `${least} to ${most}`
  const unit = most === 1 ? 'epoch' : 'epochs'
  return `waits, at place ${place} of ${waiting}: its turn begins in about ${epochs} ${unit}`
}
