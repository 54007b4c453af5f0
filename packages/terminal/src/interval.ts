import { lowerReaches, type Proportion, upperBelow } from '@affine/wilson'
import { share } from './text.ts'

const CELLS = 30
const ALL = 1_000_000

/** What is drawn: counts, and the square of the interval's z in millionths. */
export interface Drawn extends Proportion {
  readonly zSquaredPpm: bigint
}

/**
 * A tally's Wilson interval in ppm, each bound rounded away from the rate: whoever compares it with
 * a ratio comes to what the exact one comes to. 0 to 1_000_000 without trials.
 */
export function boundsOf(drawn: Drawn): { readonly lower: number; readonly upper: number } {
  const beyondLower = leastPpm((ratioPpm) => !lowerReaches({ ...drawn, ratioPpm }))
  const upper = leastPpm((ratioPpm) => upperBelow({ ...drawn, ratioPpm }))
  return { lower: beyondLower - 1, upper }
}

/** The least ppm at which `holds` is true, as it must be from there on; 1_000_000 if none below. */
function leastPpm(holds: (ppm: number) => boolean): number {
  let no = 0
  let yes = ALL
  while (yes - no > 1) {
    const middle = (no + yes) >> 1
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}

/** A tally's Wilson interval drawn against the ratio to beat. */
export function drawInterval(drawn: Drawn, ratioPpm: number): string {
  if (Number(drawn.trials) === 0) return '[      no decisive trial       ]'
  const { lower, upper } = boundsOf(drawn)
  const cellOf = (ppm: number): number => Math.min(CELLS - 1, Math.floor((ppm / ALL) * CELLS))
  const cells = Array.from({ length: CELLS }, () => ' ')
  cells.fill('━', cellOf(lower), cellOf(upper) + 1)
  cells[cellOf(ratioPpm)] = '┃'
  return `[${cells.join('')}] ${share(lower)}…${share(upper)}`
}
