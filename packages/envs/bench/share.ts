import { boundsPpm } from '@affine/wilson'

/** Number of wins among `trials` decisive challenges. */
export interface Score {
  readonly wins: number
  readonly trials: number
}

export const rateOf = ({ wins, trials }: Score): number => wins / trials

/** Returns a share and its Wilson interval of 95 %, as `.83 (.74–.89)`. */
export function shareText(score: Score): string {
  const { lower, upper } = boundsPpm({ ...score, zSquaredPpm: 3_841_600 })
  return `${short(rateOf(score))} (${short(lower / 1e6)}–${short(upper / 1e6)})`
}

/** Returns a share as `.83` or `1.00`. */
export const short = (share: number): string => share.toFixed(2).replace(/^0/, '')

/** The stronger player, then the weaker. */
export type NamePair = readonly [strong: string, weak: string]

/** Returns every pair of names, the later name first. */
export const pairsOf = (names: readonly string[]): readonly NamePair[] =>
  names.flatMap((strong, i) => names.slice(0, i).map((weak) => [strong, weak] as const))

/** Returns each name except the first with its predecessor. */
export const neighboursOf = (names: readonly string[]): readonly NamePair[] =>
  names.slice(1).map((strong, i) => [strong, names[i] as string])
