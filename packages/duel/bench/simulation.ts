import { type Generator, pcg64 } from '@affine/prng'
import {
  judgeEnvironment,
  type LaneRule,
  loneRuleOf,
  PROTOCOL,
  quotaOf,
  ruleOf,
  type Score,
  type Tallies,
  type Tally,
} from '../src/index.ts'
import { scored } from '../test/subnet.ts'

/**
 * What the liars play, all of them the same, knowing every honest result of the epoch. `up` and
 * `down` go as far as the outlier rule lets them; `down, with care` keeps to a bar of 32 instead of
 * 36 and reckons without its own weight; `thin` admits to as few losses as that rule lets it, and
 * to no wins above the middle; `block` plays whatever of these leaves the contender least.
 */
export type Strategy =
  | 'honest'
  | 'absent'
  | 'all wins'
  | 'copy the best'
  | 'up'
  | 'thin'
  | 'all losses'
  | 'all ties'
  | 'down'
  | 'down, with care'
  | 'block'

export interface Cell {
  /** The validators' weights, in ppm of the heaviest. As many as weigh under a third lie. */
  readonly weights: readonly number[]
  /** The contender's share of decisive challenges, and the ties' share of all. */
  readonly p: number
  readonly tied: number
  readonly strategy: Strategy
  /** Of the honest ones, how many never have a lane. */
  readonly absent?: number
}

export interface Shares {
  readonly won: number
  /** Challenges a lane plays: mean and its standard error. */
  readonly challenges: number
  readonly error: number
  /** Epochs a duel lasts: mean. */
  readonly epochs: number
}

const RATIO_PPM = 510_000
const NOTHING: Tally = scored({ wins: 0, losses: 0, played: 0 })

/** The share of duels that the contender wins, judged by `rule`. */
export function simulate(
  cell: Cell,
  duels: number,
  seed: bigint,
  rule: LaneRule = ruleOf(PROTOCOL),
): Shares {
  const random = pcg64(seed)
  let [won, sum, squares, epochs] = [0, 0, 0, 0]
  for (let i = 0; i < duels; i++) {
    const duel = simulateDuel(cell, rule, random)
    if (duel.won) won++
    sum += duel.challenges
    squares += duel.challenges ** 2
    epochs += duel.epochs
  }
  const mean = sum / duels
  return {
    won: won / duels,
    challenges: mean,
    error: Math.sqrt((squares / duels - mean ** 2) / duels),
    epochs: epochs / duels,
  }
}

/**
 * The least z of a win by the floor with which the contender wins at most this share of the duels,
 * in an environment that decides alone. Infinite where sums alone let more of them win.
 */
export function leastFloor(cell: Cell, duels: number, seed: bigint, share: number): number {
  const rule = { ...loneRuleOf(PROTOCOL), floorZSquaredPpm: NEVER }
  const random = pcg64(seed)
  const heights = Array.from({ length: duels }, () => {
    const { won, highest } = simulateDuel(cell, rule, random)
    return won ? Infinity : highest
  })
  return heights.sort((a, b) => b - a)[Math.floor(duels * share)] ?? 0
}

/** A z² that no lead reaches. */
const NEVER = 10n ** 30n

/**
 * How often a year the throne falls to a contender exactly at the ratio, if such ones contend all
 * the time in `envs` environments of this kind. A duel is taken to last as long as one environment
 * does.
 */
export function dethronementsAYear({ won, epochs }: Shares, envs: number): number {
  const needed = Math.ceil((envs + PROTOCOL.margin) / 2)
  const duels = (365 * BLOCKS_A_DAY) / PROTOCOL.epochBlocks / epochs
  let share = 0
  for (let wins = needed; wins <= envs; wins++)
    share += choose(envs, wins) * won ** wins * (1 - won) ** (envs - wins)
  return duels * share
}

/** One in 12 seconds. */
const BLOCKS_A_DAY = 7200

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)

/** Who lies, by place: from the heaviest on, whoever leaves the liars below a third. */
export function liarsAmong(weights: readonly number[]): readonly number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const liars: number[] = []
  let lying = 0
  for (const [place, weight] of weights.entries()) {
    if (3 * (lying + weight) >= all) continue
    liars.push(place)
    lying += weight
  }
  return liars
}

/** How one ended, and the most deviations that the floor led by when it could have won. */
interface Duel {
  readonly won: boolean
  readonly challenges: number
  readonly epochs: number
  readonly highest: number
}

/** One duel in one environment, with the main network's constants, by `judgeEnvironment`. */
function simulateDuel(
  { weights: all, p, tied, strategy, absent = 0 }: Cell,
  rule: LaneRule,
  random: Generator,
): Duel {
  const hotkeys = all.map((_, i) => String(i).padStart(3, '0'))
  const weights = Object.fromEntries(hotkeys.map((hotkey, i) => [hotkey, all[i] ?? 0]))
  const liars = strategy === 'honest' ? [] : liarsAmong(all).map((place) => hotkeys[place] ?? '')
  const present = hotkeys.slice(0, hotkeys.length - absent)
  const honest = present.filter((hotkey) => !liars.includes(hotkey))
  const epochs: Tallies[] = []
  let told: readonly Tally[] = []
  const look = (lies: readonly Tally[]) => {
    const lying = lies.map((lie) => Object.fromEntries(liars.map((hotkey) => [hotkey, lie])))
    const seen = epochs.map((lanes, i) => ({ ...lanes, ...lying[i] }))
    return judgeEnvironment({ weights, epochs: seen, ratioPpm: RATIO_PPM, rule })
  }
  let [challenges, highest] = [0, 0]
  for (let epoch = 1; epoch <= PROTOCOL.duelEpochs; epoch++) {
    const played = quotaOf(epoch, PROTOCOL)
    challenges += played
    const lanes = honest.map((hotkey) => {
      const decisive = played - binomial(played, tied, random)
      const wins = binomial(decisive, p, random)
      return [hotkey, scored({ wins, losses: decisive - wins, played })] as const
    })
    epochs.push(Object.fromEntries(lanes))
    const field = { epochs, told, played, weights, liars, rule }
    const wanted = strategy === 'block' ? BLOCKING : [strategy]
    const options = wanted.map((one) => [...told, ...fabricate(one, field)])
    const looks = options.map(look)
    const worst = looks.reduce((least, one, i) => (hope(one) < hope(looks[least]) ? i : least), 0)
    told = options[worst] ?? []
    const seen = looks[worst]
    if (seen && seen.win.trials >= BigInt(rule.minTrials) * 1_000_000n)
      highest = Math.max(highest, deviationsOf(seen.floor))
    const given = seen?.look ?? 'continue'
    if (given !== 'continue') return { won: given === 'win', challenges, epochs: epoch, highest }
  }
  return { won: false, challenges, epochs: PROTOCOL.duelEpochs, highest }
}

const BLOCKING = ['all losses', 'all ties', 'thin', 'down', 'down, with care'] as const

/** The larger of the two scores in deviations, by which a contender wins. */
function hope(evidence: ReturnType<typeof judgeEnvironment> | undefined): number {
  if (evidence === undefined) return 0
  return Math.max(deviationsOf(evidence.floor), deviationsOf(evidence.sum))
}

const deviationsOf = ({ lead, spread }: Score): number =>
  spread === 0n ? 0 : Number(lead) / Math.sqrt(Number(spread))

interface Field {
  readonly epochs: readonly Tallies[]
  /** What the liars told in the epochs before. */
  readonly told: readonly Tally[]
  readonly played: number
  readonly weights: Readonly<Record<string, number>>
  readonly liars: readonly string[]
  readonly rule: LaneRule
}

const sumOf = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (a, b) =>
      scored({
        wins: a.wins + b.wins,
        losses: a.losses + b.losses,
        played: a.played + b.played,
      }),
    NOTHING,
  )

/** What a liar tells of this epoch; nothing if it has no lane. */
function fabricate(strategy: Strategy, field: Field): readonly Tally[] {
  const { epochs, played } = field
  const lead = ({ wins, losses }: Tally) => wins * 1_000_000 - (wins + losses) * RATIO_PPM
  const latest = Object.values(epochs.at(-1) ?? {})
  if (strategy === 'absent') return []
  if (strategy === 'copy the best')
    return [latest.reduce((best, tally) => (lead(tally) > lead(best) ? tally : best))]
  if (strategy === 'all wins') return [scored({ wins: played, losses: 0, played })]
  if (strategy === 'all losses') return [scored({ wins: 0, losses: played, played })]
  if (strategy === 'all ties' || strategy === 'honest')
    return [scored({ wins: 0, losses: 0, played })]
  return [toTheEdge(strategy, field)]
}

/** As many as the outlier rule lets pass of one count, as few of the other. */
function toTheEdge(strategy: Strategy, { epochs, told, played, ...field }: Field): Tally {
  const before = sumOf(told)
  const [liked, disliked] =
    strategy === 'up' || strategy === 'thin'
      ? (['wins', 'losses'] as const)
      : (['losses', 'wins'] as const)
  const careful = strategy === 'down, with care'
  const rule = careful ? { ...field.rule, outlierZSquared: 32n } : field.rule
  const hotkeys = Object.keys(epochs[0] ?? {})
  const honest = hotkeys.map((hotkey) => sumOf(epochs.map((lanes) => lanes[hotkey] ?? NOTHING)))
  const others = Object.fromEntries(hotkeys.map((hotkey, i) => [hotkey, honest[i] ?? NOTHING]))
  const lying = field.liars.reduce((sum, hotkey) => sum + (field.weights[hotkey] ?? 0), 0)
  const weights = {
    ...Object.fromEntries(hotkeys.map((hotkey) => [hotkey, field.weights[hotkey] ?? 0])),
    liar: careful ? 1 : lying,
  }
  const middling = { wins: median(honest, 'wins'), losses: median(honest, 'losses') }
  const passes = (kind: 'wins' | 'losses', count: number) => {
    const liar = scored({ ...middling, [kind]: count, played: before.played + played })
    const epochs = [{ liar, ...others }]
    const { setAside } = judgeEnvironment({ weights, epochs, ratioPpm: RATIO_PPM, rule })
    return !setAside.includes('liar')
  }
  const start = (kind: 'wins' | 'losses', most: number) =>
    Math.min(Math.max(middling[kind], before[kind]), most)
  const above = start(disliked, before[disliked] + played)
  const fewest = above - last(above - before[disliked], (less) => passes(disliked, above - less))
  const room = before[liked] + before[disliked] + played - fewest
  const below = start(liked, room)
  const more = strategy === 'thin' ? 0 : last(room - below, (more) => passes(liked, below + more))
  const now = { [disliked]: fewest, [liked]: below + more } as Record<'wins' | 'losses', number>
  return scored({ wins: now.wins - before.wins, losses: now.losses - before.losses, played })
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

/** `lanes` validators of equal weight. */
export const equal = (lanes: number): readonly number[] => Array.from({ length: lanes }, () => 1e6)

/** The heaviest have 25, 15, 10, 8 and 6 % of all, the others the rest in equal parts. */
export function skewed(lanes: number): readonly number[] {
  const heads = [25, 15, 10, 8, 6]
  const rest = lanes - heads.length
  const shares = [...heads, ...Array.from({ length: rest }, () => 36 / rest)]
  return shares.map((share) => Math.floor((share / 25) * 1e6))
}

/** Weights in proportion to 1, 1/2, 1/3, … */
export const zipf = (lanes: number): readonly number[] =>
  Array.from({ length: lanes }, (_, i) => Math.floor(1e6 / (i + 1)))

/**
 * What docs/guarantees.md promises: the most of duels that a contender exactly at the ratio wins
 * (no ties) against the worst of `LIES`; the challenges a lane plays until one with p = 0.55 and
 * 0.6 wins among honest lanes, a fifth of the challenges tied, and the share that wins; the share
 * of p = 0.6 that wins against the worst of `BLOCKS`.
 */
export const TABLE: readonly Row[] = [
  { lanes: 4, worst: 0.005, power: [1, 1], challenges: [1224, 297], against: 1 },
  { lanes: 7, worst: 0.006, power: [1, 1], challenges: [904, 197], against: 1 },
  { lanes: 16, worst: 0.006, power: [1, 1], challenges: [583, 123], against: 1 },
  { lanes: 64, worst: 0.0055, power: [1, 1], challenges: [287, 76], against: 1 },
  { lanes: 128, worst: 0.002, power: [0.99, 1], challenges: [215, 50], against: 0.99 },
]

interface Row {
  readonly lanes: number
  readonly worst: number
  readonly power: readonly number[]
  readonly challenges: readonly number[]
  readonly against: number
}

/** What the columns play, and the lies of which `worst` and `against` are the worst. */
export const POWER = [0.55, 0.6] as const
export const LIES = ['all wins', 'copy the best', 'up', 'thin', 'absent', 'all losses'] as const
export const BLOCKS = [
  'all losses',
  'all ties',
  'thin',
  'absent',
  'down, with care',
  'block',
] as const
