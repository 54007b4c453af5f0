import { lowerReaches } from '@affine/wilson'
import type { Protocol } from './protocol.ts'

/** Counts in `1/unit`: lanes weighted in ppm, so a tally of several validators has `unit` 1_000_000. */
export type WeightedTally = { readonly wins: bigint; readonly trials: bigint; readonly unit: bigint }

const PPM = 1_000_000

/** The ratio an epoch later: the excess over the floor halves in about 14 epochs. */
export function decay(ratioPpm: number, { ratioFloorPpm, ratioDecayPpm }: Protocol): number {
  const excess = Math.max(ratioPpm - ratioFloorPpm, 0)
  return ratioFloorPpm + Number((BigInt(excess) * BigInt(ratioDecayPpm)) / BigInt(PPM))
}

/**
 * The ratio to beat after a contender won with these tallies (WIN-trimmed, one an environment it won): the geometric
 * mean of the lower Wilson bounds in ppm, rounded down, between the protocol's floor and ceiling. Bounds and not
 * rates, so that a lucky 10 of 10 does not lock the throne.
 */
export function ratchet(tallies: readonly WeightedTally[], protocol: Protocol): number {
  const zSquaredPpm = BigInt(protocol.ratchetZSquaredPpm)
  let product = tallies.length === 0 ? 0n : 1n
  for (const tally of tallies) {
    product *= BigInt(largest((ratioPpm) => lowerReaches({ ...tally, ratioPpm, zSquaredPpm })))
  }
  const mean = largest((root) => BigInt(root) ** BigInt(tallies.length) <= product)
  return Math.min(Math.max(mean, protocol.ratioFloorPpm), protocol.ratioCeilingPpm)
}

/** The largest ppm in [1, 999_999] that `holds`, or 0; `holds` must be true below some ppm and false from there. */
function largest(holds: (ppm: number) => boolean): number {
  let [yes, no] = [0, PPM]
  while (no - yes > 1) {
    const middle = (yes + no) >> 1
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}
