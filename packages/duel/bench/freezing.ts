import type { Quotas } from './quotas.ts'

/** Maximum number of frozen epochs of a duel. Protocol §8.3. */
export const FROZEN_MOST = 3
/** Leads are tabulated between −REACH and REACH deviations of a whole duel. */
const [REACH, STEPS, DRAWS] = [4, 160, 64]

/** The state of a duel before one of its epochs. */
interface Stage {
  /** Number of the epoch, from 1. */
  readonly epoch: number
  readonly frozen: number
  /** Number of a lane's challenges in the epochs that counted. */
  readonly counted: number
}

/** Probability of a win from this state on, by the contender's lead in deviations. */
export type FreezePlan = (stage: Stage, deviations: number) => number

/**
 * Returns the best plan of liars that see an epoch's results before they choose whether to freeze
 * it, for a contender at the ratio. Dynamic programming over the lead, as a normal walk that wins
 * with z deviations.
 */
export function planFor(z: number, quotas: Quotas): FreezePlan {
  const reach = REACH * Math.sqrt(quotas.reduce((sum, quota) => sum + quota, 0))
  const leadAt = (i: number): number => reach * ((2 * i) / STEPS - 1)
  const known = new Map<string, Float64Array>()
  const valuesAt = (stage: Stage): Float64Array => {
    const key = Object.values(stage).join()
    const values = known.get(key) ?? compute(stage)
    known.set(key, values)
    return values
  }
  const valueAt = (stage: Stage, lead: number): number => {
    if (stage.epoch > quotas.length || stage.frozen > FROZEN_MOST) return 0
    return interpolate(valuesAt(stage), lead / reach)
  }
  const compute = ({ epoch, frozen, counted }: Stage): Float64Array => {
    const quota = quotas[epoch - 1] ?? 0
    const [next, played] = [epoch + 1, counted + quota]
    return Float64Array.from({ length: STEPS + 1 }, (_, i) => {
      const lead = leadAt(i)
      const without = valueAt({ epoch: next, frozen: frozen + 1, counted }, lead)
      return meanOver((draw) => {
        const leadAfter = lead + draw * Math.sqrt(quota)
        if (leadAfter >= z * Math.sqrt(played)) return 1
        return Math.max(without, valueAt({ epoch: next, frozen, counted: played }, leadAfter))
      })
    })
  }
  return (stage, deviations) => valueAt(stage, deviations * Math.sqrt(stage.counted))
}

/** Returns the value at a lead, which is a share of the reach from −1 to 1. */
function interpolate(values: Float64Array, lead: number): number {
  const at = Math.min(Math.max((lead + 1) * (STEPS / 2), 0), STEPS)
  const below = Math.min(Math.floor(at), STEPS - 1)
  const part = at - below
  return (values[below] ?? 0) * (1 - part) + (values[below + 1] ?? 0) * part
}

/** Returns the mean of a function of a standard normal draw. */
function meanOver(of: (draw: number) => number): number {
  let [sum, weights] = [0, 0]
  for (let i = 0; i <= DRAWS; i++) {
    const draw = REACH * ((2 * i) / DRAWS - 1)
    const weight = Math.exp((-draw * draw) / 2)
    sum += weight * of(draw)
    weights += weight
  }
  return sum / weights
}
