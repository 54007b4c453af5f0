import type { State } from '@affine/duel'

/** The epochs of a day, of which the turns that ended are counted; and how many make a rate. */
const [COUNTED_EPOCHS, FEWEST_TURNS] = [20, 16]
/** The mean epochs of a duel: of weak contenders, and of close ones with winners among them. */
const [SHORTEST, LONGEST] = [1, 6.5]
/** What a queue simulated in `bench queue` took of what its last day let expect, 9 times of 10. */
const [FASTER, SLOWER] = [0.8, 1.25]

/** From the next epoch on, which is 1. */
export interface EpochRange {
  readonly least: number
  readonly most: number
}

/**
 * In how many epochs the miner at `place` of the queue, from 1, probably has its turn: by how many
 * turns ended in the last 20 epochs; where they were few, by the shortest and longest duels of
 * simulated queues.
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

/** The place of a miner that waits, and its turn, in words. */
export function describeWait(
  [place, waiting]: readonly [number, number],
  { least, most }: EpochRange,
): string {
  const epochs = least === most ? `${most}` : `${least} to ${most}`
  const unit = most === 1 ? 'epoch' : 'epochs'
  return `waits, at place ${place} of ${waiting}: its turn begins in about ${epochs} ${unit}`
}
