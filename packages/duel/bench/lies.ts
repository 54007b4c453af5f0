import type { LaneRule, Tally } from '../src/index.ts'
import { scored } from '../test/subnet.ts'
import { last } from './draw.ts'

/**
 * The strategies of liars. All liars report the same tally, and know every honest result of the
 * epoch. `up` and `down` go to the limit of the outlier rule; `down, with care` uses a limit of 32
 * instead of 36 and ignores its own weight; `thin` reports as few losses as the outlier rule
 * allows, and no wins above the median; `block` tells in each epoch the lie of `BLOCKING` that is
 * worst for the contender.
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

/** Lies for a contender at the ratio; `BLOCKS` has lies against a better contender. */
export const LIES = ['all wins', 'copy the best', 'up', 'thin', 'absent', 'all losses'] as const
export const BLOCKS = [
  'all losses',
  'all ties',
  'thin',
  'absent',
  'down, with care',
  'block',
] as const

/** The lies that stop a better contender longest. */
export const DELAYS = ['thin', 'down, with care', 'block'] as const

/** The choices of `block`. */
export const BLOCKING = ['all losses', 'all ties', 'thin', 'down', 'down, with care'] as const

/** The liars' knowledge when they invent an epoch's lane. */
export interface Known {
  /** The honest lanes of each epoch that counted, the current one last. */
  readonly honest: readonly (readonly Lane[])[]
  /** The liars' lanes of the earlier epochs. */
  readonly liarTallies: readonly Tally[]
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

/** Returns a liar's tally of this epoch, or an empty list without a lane. */
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
  return [stayInLimits(lie, known)]
}

/**
 * Returns a tally with the most wins or losses that the outlier rule allows, and the fewest of the
 * other.
 */
function stayInLimits(lie: Lie, known: Known): Tally {
  const { played, liarTallies } = known
  const before = sumTally(liarTallies)
  const [favoured, other] =
    lie === 'up' || lie === 'thin' ? (['wins', 'losses'] as const) : (['losses', 'wins'] as const)
  const bars = { wins: barOf(lie, 'wins', known), losses: barOf(lie, 'losses', known) }
  const start = (kind: 'wins' | 'losses', most: number) =>
    Math.min(Math.max(bars[kind].middle, before[kind]), most)
  const above = start(other, before[other] + played)
  const fewest = above - last(above - before[other], (less) => bars[other].passes(above - less))
  const room = before[favoured] + before[other] + played - fewest
  const below = start(favoured, room)
  const more =
    lie === 'thin' ? 0 : last(room - below, (extra) => bars[favoured].passes(below + extra))
  const now = { [other]: fewest, [favoured]: below + more } as Record<'wins' | 'losses', number>
  return scored({ wins: now.wins - before.wins, losses: now.losses - before.losses, played })
}

interface CountBar {
  /** The median of the honest lanes' counts. */
  readonly middle: number
  /** Reports whether a lane with this count is not an outlier. Protocol §8.5. */
  readonly passes: (count: number) => boolean
}

/** Returns the allowed range of a count of the liars' lane over the epochs that counted. */
function barOf(lie: Lie, kind: 'wins' | 'losses', known: Known): CountBar {
  const { honest, liarTallies, played, lying, rule } = known
  const careful = lie === 'down, with care'
  const zSquared = careful ? 32 : Number(rule.outlierZSquared)
  const lanes = (honest[0] ?? []).map(({ weight }, place) => {
    const count = honest.reduce((sum, epoch) => sum + (epoch[place]?.tally[kind] ?? 0), 0)
    return { weight, count }
  })
  const counts = lanes.map(({ count }) => count).sort((a, b) => a - b)
  const total = sumTally(liarTallies).played + played
  const passes = (x: number): boolean => {
    const y = medianOf([...lanes, { weight: careful ? 1 : lying, count: x }])
    return (x - y) ** 2 * 2 * total <= zSquared * (x + y) * (2 * total - x - y)
  }
  return { middle: counts[counts.length >> 1] ?? 0, passes }
}

/** Returns the weighted median of a count of lanes with equally many challenges. */
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
