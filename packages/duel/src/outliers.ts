import { compare } from './record.ts'

/** What a lane's proportion of challenges played is taken of. */
type Kind = 'wins' | 'losses' | 'trials'

/** One validator's lane in one environment: weight in ppm, `trials` are wins and losses. */
export type Lane = Readonly<Record<Kind | 'weight' | 'played', bigint>> & {
  readonly hotkey: string
}

/**
 * The lanes whose wins or losses are further from the median lane's than √`zSquared` deviations.
 * Protocol §8.5.
 */
export function outliersOf(lanes: readonly Lane[], zSquared: bigint): ReadonlySet<Lane> {
  const far = new Set<Lane>()
  for (const kind of ['wins', 'losses'] as const) {
    const middle = medianLane(lanes, kind)
    for (const lane of lanes) {
      if (middle && areApart([lane, middle], kind, zSquared)) far.add(lane)
    }
  }
  return far
}

/**
 * The lane at half the lanes' weight, in ascending order of count / played (so the lower of two).
 * Undefined without a lane. Protocol §8.5.
 */
export function medianLane(lanes: readonly Lane[], kind: Kind): Lane | undefined {
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

/** Are two proportions further apart than `zSquared` allows, under the variance of both pooled? */
function areApart([a, b]: readonly [Lane, Lane], kind: Kind, zSquared: bigint): boolean {
  const x = a[kind]
  const q = a.played
  const y = b[kind]
  const r = b.played
  return (x * r - y * q) ** 2n * (q + r) > zSquared * q * r * (x + y) * (q + r - x - y)
}
