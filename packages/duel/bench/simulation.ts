import { type Generator, pcg64 } from '@affine/prng'
import { judgeEnvironment, PROTOCOL, quotaOf, ruleOf, type Tally } from '../src/index.ts'

/**
 * What the liars play, all of them the same, knowing every honest result of the epoch. `up` and
 * `down` go as far as the outlier rule lets them; `down, with care` keeps to a bar of 32 instead of
 * 36 and reckons without its own weight.
 */
type Strategy =
  | 'honest'
  | 'all wins'
  | 'copy the best'
  | 'up'
  | 'all losses'
  | 'all ties'
  | 'down'
  | 'down, with care'

export interface Cell {
  /** Validators of equal weight. Under a third of them, ⌊(lanes − 1) / 3⌋, lie. */
  readonly lanes: number
  /** The contender's share of decisive challenges, and the ties' share of all. */
  readonly p: number
  readonly tied: number
  readonly strategy: Strategy
}

const RATIO_PPM = 510_000
const RULE = ruleOf(PROTOCOL)
const NOTHING: Tally = { wins: 0, losses: 0, played: 0 }

/**
 * The share of duels that the contender wins, and the challenges a lane plays: mean and its
 * standard error.
 */
export function simulate(
  cell: Cell,
  duels: number,
  seed: bigint,
): { won: number; challenges: number; error: number } {
  const random = pcg64(seed)
  let [won, sum, squares] = [0, 0, 0]
  for (let i = 0; i < duels; i++) {
    const duel = simulateDuel(cell, random)
    if (duel.won) won++
    sum += duel.challenges
    squares += duel.challenges ** 2
  }
  const mean = sum / duels
  return {
    won: won / duels,
    challenges: mean,
    error: Math.sqrt((squares / duels - mean ** 2) / duels),
  }
}

/** One duel in one environment, under the main network's constants, judged by `judgeEnvironment`. */
function simulateDuel(
  { lanes, p, tied, strategy }: Cell,
  random: Generator,
): { won: boolean; challenges: number } {
  const hotkeys = Array.from({ length: lanes }, (_, i) => String(i).padStart(2, '0'))
  const liars = strategy === 'honest' ? [] : hotkeys.slice(0, Math.floor((lanes - 1) / 3))
  const honest = hotkeys.slice(liars.length)
  const weights = Object.fromEntries(hotkeys.map((hotkey) => [hotkey, 1_000_000]))
  const tallies: Record<string, Tally> = Object.fromEntries(
    hotkeys.map((hotkey) => [hotkey, NOTHING]),
  )
  let challenges = 0
  for (let epoch = 1; epoch <= PROTOCOL.duelEpochs; epoch++) {
    const played = quotaOf(epoch, PROTOCOL)
    challenges += played
    for (const hotkey of honest) {
      const decisive = played - binomial(played, tied, random)
      const wins = binomial(decisive, p, random)
      tallies[hotkey] = add(tallies[hotkey], { wins, losses: decisive - wins, played })
    }
    const seen = honest.map((hotkey) => tallies[hotkey] ?? NOTHING)
    const lie = fabricate(
      strategy,
      tallies[hotkeys[0] ?? ''] ?? NOTHING,
      played,
      seen,
      liars.length,
    )
    for (const hotkey of liars) tallies[hotkey] = lie
    const { look } = judgeEnvironment({ weights, tallies, ratioPpm: RATIO_PPM, rule: RULE })
    if (look !== 'continue') return { won: look === 'win', challenges }
  }
  return { won: false, challenges }
}

const add = (a: Tally = NOTHING, b: Tally): Tally => ({
  wins: a.wins + b.wins,
  losses: a.losses + b.losses,
  played: a.played + b.played,
})

/** A liar's tally: what it had `before`, and `played` challenges more with the results it likes. */
function fabricate(
  strategy: Strategy,
  before: Tally,
  played: number,
  honest: readonly Tally[],
  liars: number,
): Tally {
  const lead = ({ wins, losses }: Tally) => wins * 1_000_000 - (wins + losses) * RATIO_PPM
  if (strategy === 'copy the best')
    return honest.reduce((best, tally) => (lead(tally) > lead(best) ? tally : best))
  if (strategy === 'all wins') return add(before, { wins: played, losses: 0, played })
  if (strategy === 'all losses') return add(before, { wins: 0, losses: played, played })
  if (strategy === 'all ties' || strategy === 'honest')
    return add(before, { wins: 0, losses: 0, played })

  const [liked, disliked] =
    strategy === 'up' ? (['wins', 'losses'] as const) : (['losses', 'wins'] as const)
  const careful = strategy === 'down, with care'
  const rule = careful ? { ...RULE, outlierZSquared: 32n } : RULE
  const others = Object.fromEntries(honest.map((tally, i) => [`honest ${i}`, tally]))
  const weights = {
    liar: careful ? 0 : liars,
    ...Object.fromEntries(Object.keys(others).map((key) => [key, 1])),
  }
  const middling = { wins: median(honest, 'wins'), losses: median(honest, 'losses') }
  const passes = (kind: 'wins' | 'losses', count: number) => {
    const liar = { ...middling, [kind]: count, played: before.played + played }
    const { setAside } = judgeEnvironment({
      weights,
      tallies: { liar, ...others },
      ratioPpm: RATIO_PPM,
      rule,
    })
    return !setAside.includes('liar')
  }
  const start = (kind: 'wins' | 'losses', most: number) =>
    Math.min(Math.max(middling[kind], before[kind]), most)
  const above = start(disliked, before[disliked] + played)
  const fewest = above - last(above - before[disliked], (less) => passes(disliked, above - less))
  const room = before[liked] + before[disliked] + played - fewest
  const below = start(liked, room)
  const most = below + last(room - below, (more) => passes(liked, below + more))
  return { ...before, [disliked]: fewest, [liked]: most, played: before.played + played }
}

function median(tallies: readonly Tally[], kind: 'wins' | 'losses'): number {
  const counts = tallies.map((tally) => tally[kind]).sort((a, b) => a - b)
  return counts[counts.length >> 1] ?? 0
}

/** The last of 0..most that passes, when the first ones do; 0 if none does. */
function last(most: number, passes: (x: number) => boolean): number {
  let [yes, no] = [0, most + 1]
  while (no - yes > 1) {
    const x = (yes + no) >> 1
    if (passes(x)) yes = x
    else no = x
  }
  return yes
}

const tables = new Map<string, readonly number[]>()

/** How many of n succeed, each with probability p: one draw, looked up in the distribution. */
function binomial(n: number, p: number, random: Generator): number {
  const key = `${n} ${p}`
  const table = tables.get(key) ?? distribution(n, p)
  tables.set(key, table)
  const x = random.random()
  return last(n, (k) => k === 0 || (table[k - 1] ?? 1) <= x)
}

/** P(at most k) for k = 0…n. */
function distribution(n: number, p: number): readonly number[] {
  if (p === 0) return Array.from({ length: n + 1 }, () => 1)
  let [logMass, sum] = [n * Math.log1p(-p), 0]
  return Array.from({ length: n + 1 }, (_, k) => {
    sum += Math.exp(logMass)
    logMass += Math.log((n - k) / (k + 1)) + Math.log(p / (1 - p))
    return sum
  })
}

/**
 * The specification's table. Shares of duels won by the contender: at p = R (no ties) with honest
 * lanes and with the worst of three lies; then, a fifth of the challenges tied, p = 0.55, 0.6, 0.7
 * with honest lanes and the challenges a lane; then p = 0.6 against three lies.
 */
export const TABLE: readonly Row[] = [
  { lanes: 4, worst: 0.003, power: [1, 1, 1], challenges: [1210, 288, 75], against: [1, 1, 1] },
  { lanes: 7, worst: 0.007, power: [1, 1, 1], challenges: [893, 199, 54], against: [1, 1, 0.97] },
  { lanes: 16, worst: 0.005, power: [1, 1, 1], challenges: [572, 119, 33], against: [1, 1, 0.22] },
  { lanes: 64, worst: 0.005, power: [0.76, 1, 1], challenges: [221, 74, 32], against: [1, 1, 0] },
]

export interface Row {
  readonly lanes: number
  readonly worst: number
  readonly power: readonly number[]
  readonly challenges: readonly number[]
  readonly against: readonly number[]
}

/** What the columns of `power` and `against` play, and the lies of which `worst` is the worst. */
export const POWER = [0.55, 0.6, 0.7] as const
export const AGAINST = ['all losses', 'all ties', 'down, with care'] as const
export const LIES = ['all wins', 'copy the best', 'up'] as const
