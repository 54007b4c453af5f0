import type { LaneRule, Tally } from '../src/index.ts'
import { scored } from '../test/subnet.ts'
import { last } from './draw.ts'

/**
 * What the liars play, all of them the same, knowing every honest result of the epoch. `up` and
 * `down` go as far as the outlier rule lets them; `down, with care` keeps to a bar of 32 instead of
 * 36 and reckons without its own weight; `thin` admits to as few losses as that rule lets it, and
 * to no wins above the middle; `block` plays whatever of these leaves the contender least.
 */
export type Lie =
  | 'absent'
  | 'all wins'
  | 'copy the best'
  | 'up'
  | 'thin'
  | 'all losses'
  | 'all ties'
  | 'down'
  | 'down, with care'

export type Strategy = Lie | 'honest' | 'block'

/** For a contender at the ratio, to win; for a better one, not to. */
export const LIES = ['all wins', 'copy the best', 'up', 'thin', 'absent', 'all losses'] as const
export const BLOCKS = [
  'all losses',
  'all ties',
  'thin',
  'absent',
  'down, with care',
  'block',
] as const

/** Those that stop a better contender longest. */
export const DELAYS = ['thin', 'down, with care', 'block'] as const

/** What `block` chooses from. */
export const BLOCKING = ['all losses', 'all ties', 'thin', 'down', 'down, with care'] as const

/** What the liars know when they make an epoch's lane up. */
export interface Known {
  /** The honest lanes of each epoch that counted, the present one last. */
  readonly honest: readonly (readonly Lane[])[]
  /** What the liars told in those before. */
  readonly told: readonly Tally[]
  readonly played: number
  /** The liars' weight. */
  readonly lying: number
  readonly ratioPpm: number
  readonly rule: LaneRule
}

/** A lane and its weight. */
export interface Lane {
  readonly weight: number
  readonly tally: Tally
}

const NONE: Tally = scored({ wins: 0, losses: 0, played: 0 })

const sumTally = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (a, b) =>
      scored({
        wins: a.wins + b.wins,
        losses: a.losses + b.losses,
        played: a.played + b.played,
      }),
    NONE,
  )

/** What a liar tells of this epoch; nothing if it has no lane. */
export function fabricate(lie: Lie, known: Known): readonly Tally[] {
  const { honest, played, ratioPpm } = known
  const lead = ({ wins, losses }: Tally) => wins * 1_000_000 - (wins + losses) * ratioPpm
  const latest = (honest.at(-1) ?? []).map(({ tally }) => tally)
  if (lie === 'absent') return []
  if (lie === 'copy the best')
    return [latest.reduce((best, tally) => (lead(tally) > lead(best) ? tally : best))]
  if (lie === 'all wins') return [scored({ wins: played, losses: 0, played })]
  if (lie === 'all losses') return [scored({ wins: 0, losses: played, played })]
  if (lie === 'all ties') return [scored({ wins: 0, losses: 0, played })]
  return [toTheEdge(lie, known)]
}

/** As many as the outlier rule lets pass of one count, as few of the other. */
function toTheEdge(lie: Lie, known: Known): Tally {
  const { played, told } = known
  const before = sumTally(told)
  const [liked, disliked] =
    lie === 'up' || lie === 'thin' ? (['wins', 'losses'] as const) : (['losses', 'wins'] as const)
  const bars = { wins: barOf(lie, 'wins', known), losses: barOf(lie, 'losses', known) }
  const start = (kind: 'wins' | 'losses', most: number) =>
    Math.min(Math.max(bars[kind].middle, before[kind]), most)
  const above = start(disliked, before[disliked] + played)
  const fewest =
    above - last(above - before[disliked], (less) => bars[disliked].passes(above - less))
  const room = before[liked] + before[disliked] + played - fewest
  const below = start(liked, room)
  const more = lie === 'thin' ? 0 : last(room - below, (extra) => bars[liked].passes(below + extra))
  const now = { [disliked]: fewest, [liked]: below + more } as Record<'wins' | 'losses', number>
  return scored({ wins: now.wins - before.wins, losses: now.losses - before.losses, played })
}

interface CountBar {
  /** The middle one of the honest lanes' counts. */
  readonly middle: number
  /** Would a lane with this count not be set aside for it? Protocol §8.5. */
  readonly passes: (count: number) => boolean
}

/** How far a count of the liars' lane may be from the others', over the epochs that counted. */
function barOf(lie: Lie, kind: 'wins' | 'losses', known: Known): CountBar {
  const { honest, told, played, lying, rule } = known
  const careful = lie === 'down, with care'
  const zSquared = careful ? 32 : Number(rule.outlierZSquared)
  const lanes = (honest[0] ?? []).map(({ weight }, place) => {
    const count = honest.reduce((sum, epoch) => sum + (epoch[place]?.tally[kind] ?? 0), 0)
    return { weight, count }
  })
  const counts = lanes.map(({ count }) => count).sort((a, b) => a - b)
  const total = sumTally(told).played + played
  const passes = (x: number): boolean => {
    const y = medianOf([...lanes, { weight: careful ? 1 : lying, count: x }])
    return (x - y) ** 2 * 2 * total <= zSquared * (x + y) * (2 * total - x - y)
  }
  return { middle: counts[counts.length >> 1] ?? 0, passes }
}

/** The count of the lane in the middle of the weight, all having played the same. */
function medianOf(lanes: readonly { readonly weight: number; readonly count: number }[]): number {
  const all = lanes.reduce((sum, { weight }) => sum + weight, 0)
  let below = 0
  const ascending = [...lanes].sort((a, b) => a.count - b.count)
  const middle = ascending.find(({ weight }) => {
    below += weight
    return 2 * below >= all
  })
  return middle?.count ?? 0
}
