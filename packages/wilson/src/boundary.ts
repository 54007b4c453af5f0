import { lookAt, lowerReaches, type Rule, type WinRule } from './sequential.ts'

/**
 * For each n in 0..cap, the fewest wins at which `lowerReaches`; n + 1 where none do, or before the
 * first look.
 *
 * Floats place the edge within 1e-8 (cap is at most 10^7), so only nearer than 1e-6 to an integer
 * can they be wrong, and there `lowerReaches` decides: the exact boundary, at the speed of floats.
 */
export function winBoundary(
  ratioPpm: number,
  { cap, minTrials, zSquaredPpm }: WinRule,
): Int32Array {
  const rate = ratioPpm / 1e6
  const spread = (Number(zSquaredPpm) / 1e6) * rate * ((1e6 - ratioPpm) / 1e6)
  const boundary = new Int32Array(cap + 1)
  for (let trials = 0; trials <= cap; trials++) {
    boundary[trials] = trials + 1
    if (trials < minTrials) continue
    const edge = trials * rate + Math.sqrt(trials * spread)
    const wins = Math.round(edge)
    let fewest = Math.ceil(edge)
    if (Math.abs(edge - wins) < 1e-6 && wins <= trials) {
      fewest = lowerReaches({ wins, trials, ratioPpm, zSquaredPpm }) ? wins : wins + 1
    }
    boundary[trials] = Math.min(fewest, trials + 1)
  }
  return boundary
}

/**
 * For each n in 0..cap, the most wins whose `lookAt` is hold; -1 where none is. It never falls as
 * n grows.
 */
export function holdBoundary(ratioPpm: number, rule: Rule): Int32Array {
  const boundary = new Int32Array(rule.cap + 1)
  let wins = -1
  for (let trials = 0; trials <= rule.cap; trials++) {
    while (wins < trials && lookAt({ wins: wins + 1, trials, ratioPpm, rule }) === 'hold') wins++
    boundary[trials] = wins
  }
  return boundary
}
