import type { EnvLaneFacts } from '../env-facts.ts'
import type { LaneFacts } from '../lane-facts.ts'

/** Whether a lane counts, and if not, why; and how many of its games were never begun. */
export function laneText(lane: LaneFacts): string {
  const { unbegun } = lane
  const text = countsText(lane)
  return unbegun === 0
    ? text
    : `${text}, ${unbegun} ${unbegun === 1 ? 'game' : 'games'} never begun`
}

function countsText({ sealed, attested, accepted, setAside }: LaneFacts): string {
  if (setAside.length > 0) return `✘ set aside in ${setAside.join(', ')}`
  if (accepted) return '✔'
  if (!sealed) return '✘ not sealed'
  return attested ? '✘ not whole' : '✘ not attested by enough'
}

/** How much a lane counts in an environment. */
export function laneUseText({ isSetAside, weight, keptForWin, keptForHold }: EnvLaneFacts): string {
  if (isSetAside) return 'set aside: too far from the others'
  if (weight === 0) return 'its validator no longer has weight'
  const part = (ppm: number): string => `${Math.round(ppm / 10_000)} %`
  if (keptForWin === 1_000_000 && keptForHold === 1_000_000) return 'counts in both'
  const [win, hold] = [part(keptForWin), part(keptForHold)]
  return `${win} counts for a win, ${hold} for a hold: the rest is trimmed`
}
