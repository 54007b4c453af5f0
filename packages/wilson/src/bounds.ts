import { lowerReaches, PPM, type Proportion, upperBelow } from './sequential.ts'

/** A proportion, and the square of z in millionths. */
export type Bounded = Proportion & { readonly zSquaredPpm: number | bigint }

/**
 * Returns the Wilson bounds of `wins / trials` in ppm, each rounded away from the rate: `lower` is
 * the largest ratio below 1 for which `lowerReaches`, or 0, and `upper` the smallest for which
 * `upperBelow`, or 1_000_000. A comparison with a ratio therefore gives the exact result.
 *
 * Integers only. Without trials 0 to 1_000_000. Source: Wilson (1927),
 * doi:10.1080/01621459.1927.10502953. Vectors: vectors/wilson/bounds.json, vectors/duel/ratchet.json.
 * @throws RangeError as `lowerReaches` does.
 */
export function boundsPpm(bounded: Bounded): { readonly lower: number; readonly upper: number } {
  const isAbove = (ratioPpm: number): boolean => !lowerReaches({ ...bounded, ratioPpm })
  const isBelow = (ratioPpm: number): boolean => upperBelow({ ...bounded, ratioPpm })
  return {
    lower: leastAbove(0, Number(PPM), isAbove) - 1,
    upper: leastAbove(0, Number(PPM), isBelow),
  }
}

/**
 * The least integer in (no, yes] that `holds`, by bisection: `holds` must be false up to some
 * integer and true from there, and `yes` is taken to hold without a look. Up to 2^30.
 */
export function leastAbove(no: number, yes: number, holds: (value: number) => boolean): number {
  let below = no
  let least = yes
  while (least - below > 1) {
    const middle = (below + least) >> 1
    if (holds(middle)) least = middle
    else below = middle
  }
  return least
}

/** The least k with k² >= value, for value >= 0: Newton's square root, from above, then up. */
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
