import type { Verdict, Way } from '@affine/duel'
import type { Decider, EnvFacts } from '../env-facts.ts'
import { percent, share } from '../text.ts'
import { drawInterval } from './interval.ts'

/** Why an environment has the verdict that it has. */
const REASONS = {
  win: 'the contender won more than it has to, by more than luck and a third of liars explain',
  hold:
    'the contender is below the ratio to beat, or so little above it that a win within the cap ' +
    'is out of reach',
  even: 'too few challenges tell the two apart, so it counts for neither',
} as const

/** A verdict with its reason, as in "even, because too few challenges …". */
export const verdictText = (verdict: Verdict | undefined): string =>
  verdict === undefined ? 'no verdict' : `${verdict}, because ${REASONS[verdict]}`

const WAYS: Readonly<Record<Way, string>> = { sum: 'interval', floor: 'score' }

/** By what an environment was won, as in "score and interval". */
export const waysText = (ways: readonly Way[]): string => ways.map((way) => WAYS[way]).join(' and ')

/**
 * A look on two lines: the counts and the verdict, then the numbers behind the verdict. Without a
 * verdict it has the text `otherwise`.
 */
export function envText(facts: EnvFacts, otherwise: string): string {
  const { env, wins, losses, ties, given, ways } = facts
  const verdict = given === 'win' ? `win by ${waysText(ways)}` : (given ?? otherwise)
  const counts = `${wins} won, ${losses} lost, ${ties} tied`
  return `  ${env.padEnd(16)} ${counts} → ${verdict}\n    ${basisText(facts)}`
}

/** The numbers behind the verdict, with their interval; without a verdict those for a win. */
function basisText(facts: EnvFacts): string {
  const { given, hold, ratioPpm, decisivePpm = 0 } = facts
  if (given === 'hold')
    return `for a hold: ${keptText(hold)} ${drawInterval(hold.bounds, ratioPpm)}, ${upToText(hold)}`
  if (given === 'even')
    return `for even: in the median lane ${percent(decisivePpm)} of challenges tell the two apart`
  return winText(facts)
}

function winText({ win, expected, minTrials, floor, ratioPpm }: EnvFacts): string {
  const kept = `for a win: ${keptText(win)}`
  if (win.trials < minTrials * 1_000_000) return `${kept}, too few of ${minTrials}`
  const interval = drawInterval(win.bounds, ratioPpm)
  const byFloor = `${floor.score / 100} of ${floor.bar / 100}`
  return `${kept}, ${share(expected)} expected ${interval}, score ${byFloor}`
}

const upToText = ({ upTo }: EnvFacts['hold']): string =>
  upTo === undefined ? 'by the cap' : `a hold up to ${share(upTo)}`

const keptText = ({ wins, trials }: Decider): string => `${share(wins)} of ${share(trials)} won`
