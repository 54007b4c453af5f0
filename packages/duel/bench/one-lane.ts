import { FROZEN_MOST } from './freezing.ts'
import type { Quotas } from './quotas.ts'

interface OneLane {
  readonly ratioPpm: number
  readonly quotas: Quotas
  /** The deviations that a win needs. */
  readonly z: number
}

/**
 * Returns the maximum probability that a contender exactly at the ratio wins if one honest lane
 * decides, nothing is tied, and liars choose after each epoch whether it counts. Exact, by dynamic
 * programming over the wins.
 */
export function mostFrozenWins(
  { ratioPpm, quotas, z }: OneLane,
  frozenMost: number = FROZEN_MOST,
): number {
  const rate = ratioPpm / 1e6
  const known = new Map<string, Float64Array>()
  /** Values by wins, before an epoch. */
  const valuesAt = (epoch: number, frozen: number, played: number): Float64Array => {
    const quota = quotas[epoch - 1]
    if (quota === undefined || frozen > frozenMost) return new Float64Array(played + 1)
    const key = `${epoch} ${frozen} ${played}`
    const old = known.get(key)
    if (old) return old
    const without = valuesAt(epoch + 1, frozen + 1, played)
    const counted = withWins(valuesAt(epoch + 1, frozen, played + quota), rate, z)
    const values = bestOf(without, counted, chancesOf(quota, rate))
    known.set(key, values)
    return values
  }
  return valuesAt(1, 0, 0)[0] ?? 0
}

/** Returns the values, with 1 at every number of wins that wins the environment. */
function withWins(values: Float64Array, rate: number, z: number): Float64Array {
  const trials = values.length - 1
  const bar = trials * rate + z * Math.sqrt(trials * rate * (1 - rate))
  return values.map((value, wins) => (wins >= bar ? 1 : value))
}

/**
 * Returns, by wins before an epoch, the mean over the epoch's wins of the better of two values: of
 * freezing and of counting the epoch. Liars see the epoch's wins before they choose.
 */
function bestOf(without: Float64Array, counted: Float64Array, chances: Float64Array): Float64Array {
  return without.map((value, wins) => {
    let mean = 0
    for (let more = 0; more < chances.length; more++)
      mean += (chances[more] ?? 0) * Math.max(value, counted[wins + more] ?? 0)
    return mean
  })
}

/** Returns P(k of n) for k = 0…n. */
function chancesOf(n: number, p: number): Float64Array {
  let log = n * Math.log1p(-p)
  return Float64Array.from({ length: n + 1 }, (_, k) => {
    const chance = Math.exp(log)
    log += Math.log((n - k) / (k + 1)) + Math.log(p / (1 - p))
    return chance
  })
}
