import { lowerReaches } from '@affine/wilson'
import type { Protocol } from './protocol.ts'
import type { WeightedTally } from './trim.ts'

/**
 * The ratio an epoch later: the excess over the floor halves in about 14 epochs. Protocol §8.10.
 */
export function decay(ratioPpm: number, { ratioFloorPpm, ratioDecayPpm }: Protocol): number {
  const excess = Math.max(ratioPpm - ratioFloorPpm, 0)
  return ratioFloorPpm + Number((BigInt(excess) * BigInt(ratioDecayPpm)) / 1_000_000n)
}

/**
 * The ratio to beat after a contender won with these tallies (WIN-trimmed, one an environment it
 * won): the geometric mean of the lower Wilson bounds in ppm, rounded down, between the protocol's
 * floor and ceiling. Bounds and not rates, so that a lucky 10 of 10 does not lock the throne.
 * Protocol §8.10.
 */
export function ratchet(tallies: readonly WeightedTally[], protocol: Protocol): number {
  const zSquaredPpm = BigInt(protocol.ratchetZSquaredPpm)
  const lowerBound = (tally: WeightedTally): number =>
    largestPpm((ratioPpm) => lowerReaches({ ...tally, ratioPpm, zSquaredPpm }))
  const mean = geometricMean(tallies.map(lowerBound))
  return Math.min(Math.max(mean, protocol.ratioFloorPpm), protocol.ratioCeilingPpm)
}

/** Of ppm, rounded down; of none 0. */
function geometricMean(bounds: readonly number[]): number {
  if (bounds.length === 0) return 0
  const product = bounds.reduce((soFar, bound) => soFar * BigInt(bound), 1n)
  return largestPpm((root) => BigInt(root) ** BigInt(bounds.length) <= product)
}

/**
 * The largest ppm in [1, 999_999] that `holds`, or 0; `holds` must be true below some ppm and false
 * from there.
 */
function largestPpm(holds: (ppm: number) => boolean): number {
  let yes = 0
  let no = 1_000_000
  while (no - yes > 1) {
    const middle = (yes + no) >> 1
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}
