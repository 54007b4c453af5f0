import { FROZEN_MOST } from './freezing.ts'
import type { Quotas } from './quotas.ts'

interface OneLane {
  readonly ratioPpm: number
  readonly quotas: Quotas
  /** The deviations that win. */
  readonly z: number
}

/**
 * How often a contender exactly at the ratio wins, at the most, if one honest lane decides, nothing
 * is tied, and liars choose which epochs count after they have seen them. Exact, by dynamic
 * programming over the wins: no choice does better.
 */
export function mostFrozenWins(
  { ratioPpm, quotas, z }: OneLane,
  frozenMost: number = FROZEN_MOST,
): number {
  const rate = ratioPpm / 1e6
  const known = new Map<string, Float64Array>()
  /** By wins, before an epoch. */
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

/** The same, where counts that win are certain to. */
function withWins(values: Float64Array, rate: number, z: number): Float64Array {
  const trials = values.length - 1
  const bar = trials * rate + z * Math.sqrt(trials * rate * (1 - rate))
  return values.map((value, wins) => (wins >= bar ? 1 : value))
}

/** The mean over an epoch's wins of the better of both, known before the choice. */
function bestOf(without: Float64Array, counted: Float64Array, chances: Float64Array): Float64Array {
  return without.map((value, wins) => {
    let mean = 0
    for (let more = 0; more < chances.length; more++)
      mean += (chances[more] ?? 0) * Math.max(value, counted[wins + more] ?? 0)
    return mean
  })
}

/** P(k of n), for k = 0…n. */
function chancesOf(n: number, p: number): Float64Array {
  let log = n * Math.log1p(-p)
  return Float64Array.from({ length: n + 1 }, (_, k) => {
    const chance = Math.exp(log)
    log += Math.log((n - k) / (k + 1)) + Math.log(p / (1 - p))
    return chance
  })
}
