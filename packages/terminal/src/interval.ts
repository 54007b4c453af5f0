import { type Bounded, boundsPpm } from '@affine/wilson'
import { share } from './text.ts'

const CELLS = 30
const ALL = 1_000_000

/** A tally's Wilson interval drawn against the ratio to beat. */
export function drawInterval(drawn: Bounded, ratioPpm: number): string {
  if (Number(drawn.trials) === 0) return '[      no decisive trial       ]'
  const { lower, upper } = boundsPpm(drawn)
  const cellOf = (ppm: number): number => Math.min(CELLS - 1, Math.floor((ppm / ALL) * CELLS))
  const cells = Array.from({ length: CELLS }, () => ' ')
  cells.fill('━', cellOf(lower), cellOf(upper) + 1)
  cells[cellOf(ratioPpm)] = '┃'
  return `[${cells.join('')}] ${share(lower)}…${share(upper)}`
}
