import { leastAbove } from './bisect.ts'
import {
  type Contest,
  isHopeless,
  lowerReaches,
  type Proportion,
  upperBelow,
} from './sequential.ts'

const PPM = 1_000_000

/** A proportion, and the square of z in millionths. */
export type Bounded = Proportion & { readonly zSquaredPpm: bigint }

/**
 * The Wilson bounds of `wins / trials` in ppm, each rounded away from the rate: `lower` is the
 * largest ratio below 1 that `lowerReaches`, or 0, and `upper` the least that `upperBelow` is true
 * of, or 1_000_000. So whoever compares them with a ratio comes to what the exact ones come to.
 *
 * Integers only. Without trials 0 to 1_000_000. Vectors: vectors/duel/ratchet.json.
 * @throws RangeError as `lowerReaches` does.
 */
export function boundsPpm(bounded: Bounded): { readonly lower: number; readonly upper: number } {
  const isAbove = (ratioPpm: number): boolean => !lowerReaches({ ...bounded, ratioPpm })
  const isBelow = (ratioPpm: number): boolean => upperBelow({ ...bounded, ratioPpm })
  return { lower: leastAbove(0, PPM, isAbove) - 1, upper: leastAbove(0, PPM, isBelow) }
}

/**
 * The largest rate in ppm, rounded down, at which these trials are a hold before the cap, as
 * `isHopeless` says; undefined if they are none without a win.
 *
 * @throws RangeError as `isHopeless` does.
 */
export function hopelessUpTo(contested: Omit<Proportion, 'wins'> & Contest): number | undefined {
  const { trials, unit = 1n } = contested
  // In units so small that each ppm of the trials is a whole number of them.
  const scaled = { ...contested, trials: BigInt(trials) * BigInt(PPM), unit: unit * BigInt(PPM) }
  const isOver = (ratePpm: number): boolean =>
    !isHopeless({ ...scaled, wins: BigInt(trials) * BigInt(ratePpm) })
  const least = leastAbove(-1, PPM + 1, isOver)
  return least === 0 ? undefined : least - 1
}
