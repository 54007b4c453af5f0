import type { EnvLaneFacts } from '../env-facts.ts'
import type { LaneFacts } from '../lane-facts.ts'

/** What became of a lane: whether it counts, and why not. */
export function laneText(
  lane: Pick<LaneFacts, 'sealed' | 'whole' | 'accepted' | 'setAside'>,
): string {
  const { sealed, whole, accepted, setAside } = lane
  if (setAside.length > 0) return `✘ set aside in ${setAside.join(', ')}`
  if (accepted) return '✔'
  if (!sealed) return '✘ not sealed'
  return whole ? '✘ not attested by enough' : '✘ not whole'
}

/** What a lane counts for in an environment. */
export function laneUseText({ isSetAside, weight, keptForWin, keptForHold }: EnvLaneFacts): string {
  if (isSetAside) return 'set aside: too far from the others'
  if (weight === 0) return 'its validator has no weight any more'
  const part = (ppm: number): string => `${Math.round(ppm / 10_000)} %`
  if (keptForWin === 1_000_000 && keptForHold === 1_000_000) return 'counts in both'
  const [win, hold] = [part(keptForWin), part(keptForHold)]
  return `${win} counts for a win, ${hold} for a hold: the rest is trimmed`
}
