import { intervalOf } from '@affine/wilson'

const CELLS = 30

/** What is drawn: counts, and the z of the interval. */
export interface Drawn {
  readonly wins: number
  readonly trials: number
  readonly z: number
}

/**
 * A tally's Wilson interval drawn against the ratio to beat, for the eye: nothing is decided from
 * it.
 */
export function drawInterval({ wins, trials, z }: Drawn, ratioPpm: number): string {
  if (trials === 0) return '[      no decisive trial       ]'
  const { lower, upper } = intervalOf({ wins, trials, z })
  const cellOf = (rate: number): number => Math.min(CELLS - 1, Math.floor(rate * CELLS))
  const cells = Array.from({ length: CELLS }, () => ' ')
  cells.fill('━', cellOf(lower), cellOf(upper) + 1)
  cells[cellOf(ratioPpm / 1_000_000)] = '┃'
  return `[${cells.join('')}] ${lower.toFixed(3)}…${upper.toFixed(3)}`
}
