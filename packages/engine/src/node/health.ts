import type { Setup } from '../setup.ts'

/**
 * Is a validator making progress? `late` names what should have happened and did not, for so many
 * seconds; it is empty if nothing is late.
 */
export type Health = {
  readonly on: Setup['on']
  readonly late: (seconds: number) => readonly string[]
}

/** The health of a validator, from its events, by a clock in milliseconds. */
export function healthOf(now: () => number): Health {
  let blockAt = now()
  /** When its turn last got further; undefined while none is under way. */
  let stepAt: number | undefined
  return {
    on: (event) => {
      if (event.type === 'head') {
        blockAt = now()
        stepAt ??= blockAt
      }
      const isStep = event.type === 'read' || event.type === 'epoch'
      if (isStep && stepAt !== undefined) stepAt = now()
      if (event.type === 'ended' && event.what === 'turn') stepAt = undefined
    },
    late: (seconds) => {
      const due = now() - seconds * 1000
      const reasons: string[] = []
      if (blockAt < due) reasons.push(`no block came in ${seconds} s`)
      if (stepAt !== undefined && stepAt < due) reasons.push(`it made no progress in ${seconds} s`)
      return reasons
    },
  }
}
