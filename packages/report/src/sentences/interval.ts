import type { Bounds } from '../env-facts.ts'
import { share } from '../text.ts'

const CELLS = 30
const ALL = 1_000_000

/** The interval of a rate drawn against the ratio to beat. */
export function drawInterval(bounds: Bounds | undefined, ratioPpm: number): string {
  if (bounds === undefined) return '[      no decisive trial       ]'
  const { lower, upper } = bounds
  const cellOf = (ppm: number): number => Math.min(CELLS - 1, Math.floor((ppm / ALL) * CELLS))
  const cells = Array.from({ length: CELLS }, () => ' ')
  cells.fill('━', cellOf(lower), cellOf(upper) + 1)
  cells[cellOf(ratioPpm)] = '┃'
  return `[${cells.join('')}] ${share(lower)}…${share(upper)}`
}
