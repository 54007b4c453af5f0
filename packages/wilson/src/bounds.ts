import { lowerReaches, PPM, type Proportion, upperBelow } from './sequential.ts'

/** A proportion, and the square of z in millionths. */
export type BoundsInput = Proportion & { readonly zSquaredPpm: number | bigint }

/**
 * Returns the Wilson bounds of `wins / trials` in ppm, each rounded away from the rate: `lower` is
 * the largest ratio below 1 for which `lowerReaches` is true, 0 if there is none, and `upper` the
 * smallest for which `upperBelow` is true, 1_000_000 if there is none. So comparing a rounded bound
 * with a ratio in ppm gives the same result as comparing the exact bound.
 *
 * Uses only integers. Returns 0 and 1_000_000 without trials.
 *
 * Source: Wilson (1927), doi:10.1080/01621459.1927.10502953. Vectors: vectors/wilson/bounds.json,
 * vectors/duel/ratchet.json.
 * @throws RangeError as `lowerReaches` does.
 */
export function boundsPpm(input: BoundsInput): { readonly lower: number; readonly upper: number } {
  const isAbove = (ratioPpm: number): boolean => !lowerReaches({ ...input, ratioPpm })
  const isBelow = (ratioPpm: number): boolean => upperBelow({ ...input, ratioPpm })
  return {
    lower: leastAbove(0, Number(PPM), isAbove) - 1,
    upper: leastAbove(0, Number(PPM), isBelow),
  }
}

/**
 * Returns the least integer in (low, high] for which `isReached` is true, by bisection. `isReached`
 * must be false up to some integer and true above it; it is not called for `high`. Both ends are
 * within ±2^30.
 */
export function leastAbove(
  low: number,
  high: number,
  isReached: (value: number) => boolean,
): number {
  let [below, least] = [low, high]
  while (least - below > 1) {
    const middle = (below + least) >> 1
    if (isReached(middle)) least = middle
    else below = middle
  }
  return least
}

/** Returns the least k with k² >= value, for value >= 0, by Newton's method from above. */
export function ceilRoot(value: bigint): bigint {
  let root = value
  let next = (value + 1n) >> 1n
  while (next < root) {
    root = next
    next = (root + value / root) >> 1n
  }
  if (root * root === value) return root
  return root + 1n
}
