import {
  type Counts,
  type Evidence,
  expectedIn,
  type LaneRule,
  type Tallies,
  type Verdict,
  type WeightedTally,
  waysToWin,
  widened,
} from '@affine/duel'
import { drawInterval } from './interval.ts'
import { scoreText } from './score-text.ts'
import { share } from './text.ts'

/** What was counted in an environment. */
interface Counted extends Pick<Evidence, 'setAside'> {
  readonly env: string
  readonly tallies: Tallies
}

/** A look at an environment, and what it was held against. */
export interface LookedAt extends Counted, Omit<Evidence, 'look'> {
  /** The verdict that it gave, and what to say without one. */
  readonly given: Verdict | undefined
  readonly otherwise: string
  readonly ratioPpm: number
  readonly rule: LaneRule
}

/** A look on two lines: what was counted and the verdict, then what the verdict is of. */
export function envText(look: LookedAt): string {
  return `${countsText(look, verdictText(look))}\n    ${basisText(look)}`
}

/** What the contender won, lost and tied in the lanes that are not set aside, and the verdict. */
export function countsText({ env, tallies, setAside }: Counted, verdict: string): string {
  const { wins, losses, played } = sumWithout(setAside, tallies)
  const counts = `${wins} won, ${losses} lost, ${played - wins - losses} tied`
  return `  ${env.padEnd(16)} ${counts} → ${verdict}`
}

function sumWithout(setAside: readonly string[], tallies: Tallies): Counts {
  const sum = { wins: 0, losses: 0, played: 0 }
  for (const [hotkey, { wins, losses, played }] of Object.entries(tallies)) {
    if (setAside.includes(hotkey)) continue
    sum.wins += wins
    sum.losses += losses
    sum.played += played
  }
  return sum
}

function verdictText({ given, otherwise, rule, ...seen }: LookedAt): string {
  if (given === 'win') return `win by ${waysToWin(seen, rule).join(' and ')}`
  return given ?? otherwise
}

/** What was looked at for the verdict, without one for a win, each with the interval of its own. */
function basisText(look: LookedAt): string {
  if (look.given === 'hold') return holdText(look)
  if (look.given === 'even') return evenText(look)
  return winText(look)
}

function holdText({ hold, ratioPpm, rule: { zSquaredPpm } }: LookedAt): string {
  return `for a hold: ${keptText(hold)} ${drawInterval({ ...hold, zSquaredPpm }, ratioPpm)}`
}

function evenText({ decisivePpm = 0 }: LookedAt): string {
  return `for even: ${share(decisivePpm)} of the median lane is decisive`
}

function winText({ win, sum, floor, ratioPpm, rule }: LookedAt): string {
  const { minTrials, zSquaredPpm, floorZSquaredPpm } = rule
  const kept = `for a win: ${keptText(win)}`
  if (win.trials < BigInt(minTrials) * win.unit) return `${kept}, too few of ${minTrials}`
  const expected = expectedIn(sum, ratioPpm)
  const interval = drawInterval({ ...widened(win, sum, ratioPpm), zSquaredPpm }, ratioPpm)
  const byFloor = scoreText(floor, floorZSquaredPpm)
  return `${kept}, ${share(expected)} expected ${interval}, floor ${byFloor}`
}

const keptText = ({ wins, trials }: WeightedTally): string =>
  `${share(wins)} of ${share(trials)} won`
