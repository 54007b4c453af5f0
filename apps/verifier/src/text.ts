import { normalise } from '@affine/envs'
import { interval } from '@affine/wilson'

/** Text from outside, on one line and without anything a terminal would act on. */
export function printable(text: string, most = 200): string {
  const line = normalise(text).replaceAll('\n', '⏎')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** A share in ppm as three decimals. */
export const share = (ppm: number): string => (ppm / 1_000_000).toFixed(3)

/** A tally's Wilson interval drawn against the ratio to beat, for the eye: nothing is decided from it. */
export function drawInterval(tally: { wins: number; trials: number }, z: number, ratioPpm: number): string {
  if (tally.trials === 0) return '[      no decisive trial       ]'
  const { lower, upper } = interval({ ...tally, z })
  const width = 30
  const at = (x: number): number => Math.min(width - 1, Math.floor(x * width))
  const cells: string[] = Array.from({ length: width }, (_, i) => (i >= at(lower) && i <= at(upper) ? '━' : ' '))
  cells[at(ratioPpm / 1_000_000)] = '┃'
  return `[${cells.join('')}] ${lower.toFixed(3)}…${upper.toFixed(3)}`
}
