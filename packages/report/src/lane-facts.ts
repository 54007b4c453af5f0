import { trustOf } from '@affine/duel'
import type { Settled } from '@affine/settlement'

/** The result of the lane of a validator that was due. */
export interface LaneFacts {
  readonly validator: string
  readonly sealed: boolean
  readonly attested: boolean
  readonly accepted: boolean
  /** The environments in which it was too far from the others. */
  readonly setAside: readonly string[]
  readonly attesters: readonly string[]
  /** The validator's trust after the epoch, in ppm. */
  readonly trust: number
  /** Why the lane is void, as a code; not every reader reads those that cannot count. */
  readonly fault: string | undefined
  /** How many of its games were never begun; 0 if it is not accepted. */
  readonly unbegun: number
}

/** The lanes of an epoch, by validator ascending. */
export function laneFacts({ report, lanes, state }: Settled): readonly LaneFacts[] {
  return Object.entries(report.lanes).map(([validator, lane]) => {
    const read = lanes.get(validator)
    const fault = read === undefined || read.ok ? undefined : read.code
    const unbegun = lane.accepted && read?.ok ? read.value.unbegun : 0
    return { validator, ...lane, trust: trustOf(state.trust[validator]), fault, unbegun }
  })
}
