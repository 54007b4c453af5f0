import type { Score } from '@affine/duel'
import { ceilRoot } from '@affine/wilson'

/**
 * How many deviations a score is, and how many a win takes: the score rounded down, the bar up, so
 * that the one does not seem to reach the other where it does not.
 */
export function scoreText(score: Score, zSquaredPpm: bigint): string {
  // A root of millionths is in thousandths.
  const bar = (ceilRoot(zSquaredPpm) + 9n) / 10n
  return `${inDeviations(hundredthsOf(score))} of ${inDeviations(bar)}`
}

const inDeviations = (hundredths: bigint): string => String(Number(hundredths) / 100)

/** ⌊100 · lead / √spread⌋ */
function hundredthsOf({ lead, spread }: Score): bigint {
  const square = 10_000n * lead * lead
  if (lead < 0n) return -ceilRoot((square + spread - 1n) / spread)
  const root = ceilRoot(square / spread)
  return root * root * spread > square ? root - 1n : root
}
