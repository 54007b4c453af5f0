import type { Generator } from '@affine/prng'
import { evidence, PROTOCOL, quota, ruleOf, type Tally } from '../src/index.ts'

/** What liars play, once they have seen every honest result of the epoch. */
export type Strategy =
  | 'honest'
  | 'all wins'
  | 'copy the best'
  | 'inside, up'
  | 'all losses'
  | 'all ties'
  | 'inside, down'

export interface Cell {
  /** Validators, of equal weight; below a third of them, ⌊(lanes − 1) / 3⌋, lie. */
  readonly lanes: number
  /** How often a decisive challenge is the contender's, and how many of all are ties. */
  readonly p: number
  readonly tied: number
  readonly strategy: Strategy
}

const RATIO_PPM = 510_000
const RULE = ruleOf(PROTOCOL)
const NOTHING: Tally = { wins: 0, losses: 0, played: 0 }

/** One environment's duel under the protocol's constants: did the contender win, and after how many challenges a lane? */
export function duel({ lanes, p, tied, strategy }: Cell, random: Generator): { won: boolean; challenges: number } {
  const hotkeys = Array.from({ length: lanes }, (_, i) => `validator ${String(i).padStart(2, '0')}`)
  const liars = strategy === 'honest' ? [] : hotkeys.slice(0, Math.floor((lanes - 1) / 3))
  const honest = hotkeys.slice(liars.length)
  const weights = Object.fromEntries(hotkeys.map((hotkey) => [hotkey, 1_000_000]))
  const tallies: Record<string, Tally> = Object.fromEntries(hotkeys.map((hotkey) => [hotkey, NOTHING]))
  let challenges = 0
  for (let epoch = 1; epoch <= PROTOCOL.duelEpochs; epoch++) {
    const played = quota(epoch, PROTOCOL)
    challenges += played
    for (const hotkey of honest) {
      const decisive = played - binomial(played, tied, random)
      const wins = binomial(decisive, p, random)
      tallies[hotkey] = add(tallies[hotkey], { wins, losses: decisive - wins, played })
    }
    const others = honest.map((hotkey) => tallies[hotkey] as Tally)
    const before = tallies[liars[0] ?? ''] ?? NOTHING
    const lie = fabricate(strategy, before, played, others, liars.length)
    for (const hotkey of liars) tallies[hotkey] = lie
    const { verdict } = evidence({ weights, tallies, ratioPpm: RATIO_PPM, rule: RULE })
    if (verdict !== 'continue') return { won: verdict === 'win', challenges }
  }
  return { won: false, challenges }
}

const add = (a: Tally = NOTHING, b: Tally): Tally => ({
  wins: a.wins + b.wins,
  losses: a.losses + b.losses,
  played: a.played + b.played,
})

/** The liars' tally after this epoch: what they had, and `played` more challenges with any results they like. */
function fabricate(strategy: Strategy, before: Tally, played: number, honest: Tally[], liars: number): Tally {
  const total = before.played + played
  const lead = ({ wins, losses }: Tally) => wins * 1_000_000 - (wins + losses) * RATIO_PPM
  if (strategy === 'all wins') return add(before, { wins: played, losses: 0, played })
  if (strategy === 'all losses') return add(before, { wins: 0, losses: played, played })
  if (strategy === 'all ties') return add(before, { wins: 0, losses: 0, played })
  if (strategy === 'copy the best') return honest.reduce((best, tally) => (lead(tally) > lead(best) ? tally : best))
  const up = strategy === 'inside, up'
  // As many of one kind and as few of the other as a lane may have that is not to be set aside.
  const [more, less] = up ? (['wins', 'losses'] as const) : (['losses', 'wins'] as const)
  const weights = { a: liars, ...Object.fromEntries(honest.map((_, i) => [`b${i}`, 1])) }
  const others = Object.fromEntries(honest.map((tally, i) => [`b${i}`, tally]))
  const inside = (lie: Tally) =>
    !evidence({ weights, tallies: { a: lie, ...others }, ratioPpm: RATIO_PPM, rule: RULE }).setAside.includes('a')
  const most = last(before[more], before[more] + played, (count) => {
    // the other kind plays no part: take the count that is surely inside in it, if any is
    return inside({ ...before, [more]: count, [less]: Math.min(middle(honest, less), total - count), played: total })
  })
  const fewest =
    total -
    last(total - before[less] - played, total - before[less], (rest) =>
      inside({ ...before, [less]: total - rest, [more]: Math.min(most, rest), played: total }),
    )
  return { ...before, [more]: Math.min(most, total - fewest), [less]: fewest, played: total }
}

const middle = (tallies: Tally[], kind: 'wins' | 'losses'): number =>
  tallies.map((tally) => tally[kind]).sort((a, b) => a - b)[tallies.length >> 1] ?? 0

/** The last integer of low..high for which `holds`, which is true up to some point; low if it never is. */
function last(low: number, high: number, holds: (x: number) => boolean): number {
  let [yes, no] = [low, high + 1]
  while (no - yes > 1) {
    const x = (yes + no) >> 1
    if (holds(x)) yes = x
    else no = x
  }
  return yes
}

const tables = new Map<string, Float64Array>()

/** How many of n succeed, each with probability p: one draw, by the inverse of the distribution. */
function binomial(n: number, p: number, random: Generator): number {
  if (p === 0 || n === 0) return 0
  const key = `${n} ${p}`
  let table = tables.get(key)
  if (table === undefined) {
    table = new Float64Array(n + 1)
    let [logMass, sum] = [n * Math.log1p(-p), 0]
    for (let k = 0; k <= n; k++) {
      sum += Math.exp(logMass)
      table[k] = sum
      logMass += Math.log((n - k) / (k + 1)) + Math.log(p / (1 - p))
    }
    tables.set(key, table)
  }
  const x = random.random()
  let [low, high] = [0, n]
  while (low < high) {
    const k = (low + high) >> 1
    if (x < (table[k] ?? 1)) high = k
    else low = k + 1
  }
  return low
}
