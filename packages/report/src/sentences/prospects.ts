import type { Comparison, Prospects, WinRates } from '../prospects.ts'
import { share } from '../text.ts'
import { drawInterval } from './interval.ts'

/** Prospects as lines for people. */
export function prospectsText({ ratioPpm, envs, dethrones }: Prospects): string {
  return [...envs.map((each) => comparisonText(each, ratioPpm)), dethronesText(dethrones)].join(
    '\n',
  )
}

function comparisonText(comparison: Comparison, ratioPpm: number): string {
  const { env, wins, losses, ties, bounds, isEven, win } = comparison
  const drawn = drawInterval(bounds, ratioPpm)
  const counts = `${wins} won, ${losses} lost, ${ties} tied against the champion`
  const means = isEven ? 'even, so it counts for neither' : `a win with ${ratesText(win)}`
  return `${env}: ${counts}\n  ${drawn} vs ${share(ratioPpm)}: ${means}`
}

const dethronesText = (rates: WinRates): string =>
  `Dethrones with a probability of ${ratesText(rates)} (at the lower, middle and upper rates)`

const ratesText = (rates: WinRates): string =>
  (['lower', 'middle', 'upper'] as const).map((which) => rates[which].toFixed(3)).join(', ')
