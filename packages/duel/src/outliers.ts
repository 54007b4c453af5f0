import { compare } from './ascending.ts'
import type { Tally } from './tally.ts'

/** The counts compared between lanes; `trials` are wins and losses. */
type LaneQuantity = 'wins' | 'losses' | 'trials' | 'contenderPoints' | 'championPoints'

type LaneCounts = Readonly<Record<LaneQuantity | 'played', bigint>>

/** One validator's lane in one environment over the epochs of a duel, with a weight in ppm. */
export type EnvLane = LaneCounts & {
  readonly hotkey: string
  readonly weight: bigint
  /** One tally an epoch; undefined if the lane was not accepted. */
  readonly epochs: readonly (Tally | undefined)[]
}

/** Returns the sums of a lane's counts over the epochs for which `isWanted` is true. */
export function sumEpochs(
  epochs: EnvLane['epochs'],
  isWanted: (epoch: number) => boolean = () => true,
): LaneCounts {
  const wanted = epochs.filter((_, epoch) => isWanted(epoch))
  const sum = (key: keyof Tally) => wanted.reduce((so, tally) => so + BigInt(tally?.[key] ?? 0), 0n)
  const wins = sum('wins')
  const losses = sum('losses')
  const trials = wins + losses
  const [contenderPoints, championPoints] = [sum('contenderPoints'), sum('championPoints')]
  return { wins, losses, trials, played: sum('played'), contenderPoints, championPoints }
}

/**
 * Returns the lanes whose wins or losses are further than √`zSquared` deviations from the median
 * lane's. Only epochs that both lanes have are compared, so a missed epoch does not make an
 * outlier. Protocol §8.5.
 */
export function findOutliers(lanes: readonly EnvLane[], zSquared: number): ReadonlySet<EnvLane> {
  const apart = new Set<EnvLane>()
  const firstOf = new Map([...lanes].reverse().map((lane) => [markEpochs(lane), lane]))
  for (const [presence, first] of firstOf) {
    const group = lanes.filter((lane) => markEpochs(lane) === presence)
    const sharing = lanes.map((lane) => ({ ...lane, ...sumSharedEpochs(lane, first) }))
    const peers = sharing.filter(({ played }) => played > 0n)
    for (const kind of ['wins', 'losses'] as const) {
      const median = findMedian(peers, kind)
      for (const lane of group)
        if (median && isOutlier(lane, median, kind, zSquared)) apart.add(lane)
    }
  }
  return apart
}

/** Reports whether a lane is an outlier relative to the median lane. */
function isOutlier(lane: EnvLane, median: EnvLane, kind: LaneQuantity, zSquared: number): boolean {
  return areApart(toShare(sumSharedEpochs(lane, median), kind), toShare(median, kind), { zSquared })
}

/** Returns a lane's counts over the epochs that both lanes have. */
function sumSharedEpochs(lane: EnvLane, other: EnvLane): LaneCounts {
  if (markEpochs(lane) === markEpochs(other)) return lane
  return sumEpochs(lane.epochs, (epoch) => other.epochs[epoch] !== undefined)
}

/** Returns the epochs that a lane has, as a text of 0 and 1. */
const markEpochs = ({ epochs }: EnvLane): string => epochs.map((tally) => (tally ? 1 : 0)).join('')

/**
 * Returns the lane at half of the lanes' weight, in ascending order of count / played (the lower
 * one of two). Undefined without a lane. Protocol §8.5.
 */
export function findMedian(lanes: readonly EnvLane[], kind: LaneQuantity): EnvLane | undefined {
  const ascending = [...lanes].sort(
    (a, b) => compare(a[kind] * b.played, b[kind] * a.played) || compare(a.hotkey, b.hotkey),
  )
  const all = lanes.reduce((sum, { weight }) => sum + weight, 0n)
  let below = 0n
  return ascending.find(({ weight }) => {
    below += weight
    return 2n * below >= all
  })
}

/** A count, and the challenges played. */
export interface Share {
  readonly count: bigint
  readonly played: bigint
}

export const toShare = (lane: LaneCounts, kind: LaneQuantity): Share => ({
  count: lane[kind],
  played: lane.played,
})

/**
 * Reports whether two proportions differ by more than `zSquared` allows, under their pooled
 * variance. Counts are in 1 / `unit`. Protocol §8.5.
 */
export function areApart(
  { count: x, played: q }: Share,
  { count: y, played: r }: Share,
  { zSquared, unit = 1n }: { readonly zSquared: number; readonly unit?: bigint },
): boolean {
  const all = unit * (q + r)
  return (x * r - y * q) ** 2n * (q + r) > BigInt(zSquared) * q * r * (x + y) * (all - x - y)
}
