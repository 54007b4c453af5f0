import { chooseRule, computeQuota, countNeededWins, type Protocol } from '@affine/duel'
import { walk } from '@affine/wilson'
import { type Bounds, findBounds } from './env-facts.ts'
import { type PracticeEpisode, Z_SQUARED_95 } from './practice-result.ts'
import { drawInterval, percent } from './text.ts'

/** A probability at the observed rate of wins (`middle`) and at both ends of its 95 % interval. */
export type WinRates = Readonly<Record<'lower' | 'middle' | 'upper', number>>

/** A player's comparison with the champion in one environment. */
export interface Comparison {
  readonly env: string
  readonly wins: number
  readonly losses: number
  readonly ties: number
  /** Interval of the player's rate of wins. Undefined without a decisive challenge. */
  readonly bounds: Bounds | undefined
  /**
   * Whether a duel would leave the environment undecided: no challenges, or too few decisive ones.
   * Protocol §8.6.
   */
  readonly isEven: boolean
  /** Probability of winning the environment at each rate, if evaluated after every challenge. */
  readonly win: WinRates
}

/** The probabilities of the results of a duel with the champion. */
export interface Prospects {
  readonly ratioPpm: number
  readonly envs: readonly Comparison[]
  /** Probability of taking the throne at each rate. */
  readonly dethrones: WinRates
}

/** A reward, and the champion's reward in the same challenge. */
type ComparedReward = Pick<PracticeEpisode, 'env' | 'reward' | 'champion'>

/**
 * Compares rewards with the champion's in the same challenges, as a duel that starts now would.
 * Probabilities are for a duel of full length with one lane that is evaluated after every
 * challenge, and a constant share of ties. They ignore weights, trimming and rarer evaluations.
 * Protocol §7, §8.7, §10.
 */
export function estimateProspects(
  played: readonly ComparedReward[],
  { protocol, ratioPpm }: { readonly protocol: Protocol; readonly ratioPpm: number },
): Prospects {
  const counts = Object.keys(protocol.envs).map((env) => countResults(env, played, protocol))
  const even = counts.filter(({ isEven }) => isEven).map(({ env }) => [env, 'even'] as const)
  const verdicts = Object.fromEntries(even)
  const envs = counts.map((count): Comparison => {
    const chosen = chooseRule(verdicts, count.env, protocol)
    const z = Math.sqrt(chosen.floorZSquaredPpm / 1e6) + ONE_LANE_Z
    const cap = estimateDecisive(count, protocol)
    const rule = { ...chosen, cap, zSquaredPpm: Math.round(z * z * 1e6) }
    const canWin = !count.isEven && rule.cap >= rule.minTrials
    const rates = estimateRates(count)
    const winAt = (p: number): number => (canWin ? walk({ p, ratioPpm, rule }).win : 0)
    return { ...count, win: mapRates((which) => winAt(rates[which])) }
  })
  const counted = envs.filter(({ isEven }) => !isEven)
  const needed = countNeededWins(counted.length, protocol.margin)
  const chancesAt = (which: keyof WinRates) => counted.map(({ win }) => win[which])
  const dethrones = mapRates((which) => probabilityOfAtLeast(needed, chancesAt(which)))
  return { ratioPpm, envs, dethrones }
}

/** Estimates the number of decisive challenges of a lane in a whole duel. */
function estimateDecisive(count: Omit<Comparison, 'win'>, { envs, duelEpochs }: Protocol): number {
  const { env, wins, losses, ties } = count
  const constants = envs[env]
  if (constants === undefined) return 0
  let played = 0
  for (let epoch = 1; epoch <= duelEpochs; epoch++) played += computeQuota(epoch, constants)
  const decisive = wins + losses
  return Math.floor((played * decisive) / Math.max(1, decisive + ties))
}

/** Standard deviations that the score subtracts for a lane. Protocol §8.6. */
const ONE_LANE_Z = 0.4

const mapRates = (of: (which: keyof WinRates) => number): WinRates => ({
  lower: of('lower'),
  middle: of('middle'),
  upper: of('upper'),
})

function countResults(env: string, all: readonly ComparedReward[], { evenPpm }: Protocol) {
  const played = all.filter((each) => each.env === env)
  const count = (isCounted: (lead: number) => boolean): number =>
    played.filter(({ reward, champion = 0 }) => isCounted(reward - champion)).length
  const [wins, losses] = [count((lead) => lead > 0), count((lead) => lead < 0)]
  const isEven = (wins + losses) * 1_000_000 < evenPpm * played.length || played.length === 0
  const bounds = findBounds({ wins, trials: wins + losses, zSquaredPpm: Z_SQUARED_95 })
  return { env, wins, losses, ties: count((lead) => lead === 0), bounds, isEven }
}

function estimateRates({ wins, losses, bounds }: Omit<Comparison, 'win'>): WinRates {
  const { lower, upper } = bounds ?? { lower: 0, upper: 1e6 }
  return { lower: lower / 1e6, middle: wins / Math.max(1, wins + losses), upper: upper / 1e6 }
}

/** Returns the probability of at least `needed` of these independent events. */
function probabilityOfAtLeast(needed: number, chances: readonly number[]): number {
  let byCount = [1]
  for (const chance of chances) {
    const stay = [...byCount.map((each) => each * (1 - chance)), 0]
    byCount = stay.map((each, count) => each + (byCount[count - 1] ?? 0) * chance)
  }
  return byCount.slice(needed).reduce((sum, each) => sum + each, 0)
}

export function formatProspects({ ratioPpm, envs, dethrones }: Prospects): string {
  const ends = 'in parentheses: with all shares of wins at an end of their 95 % intervals'
  const rates = formatRates(dethrones)
  const crown = `Without games, it becomes champion with probability ${rates}; ${ends}`
  return [...envs.map((each) => formatComparison(each, ratioPpm)), crown].join('\n')
}

function formatComparison(comparison: Comparison, ratioPpm: number): string {
  const { env, wins, losses, ties, bounds, isEven, win } = comparison
  const drawn = drawInterval(bounds, ratioPpm)
  const counts = `${wins} won, ${losses} lost, ${ties} tied against the champion`
  const means = isEven ? 'even, so it counts for neither' : `a win with ${formatRates(win)}`
  return `${env}: ${counts}\n  ${drawn} vs ${percent(ratioPpm)}: ${means}`
}

const formatRates = ({ lower, middle, upper }: WinRates): string =>
  `${middle.toFixed(3)} (${lower.toFixed(3)} to ${upper.toFixed(3)})`
