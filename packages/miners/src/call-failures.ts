import type { CallFailure, Hear } from './asking.ts'
import { NoReply } from './no-reply.ts'
import { Undelivered } from './query.ts'

/** What a request failed by. */
export function failureOf(error: Error): CallFailure {
  const { message: text } = error
  if (error instanceof NoReply)
    return { type: 'call', outcome: 'miner', reason: error.reason, text }
  const reason = error instanceof Undelivered ? error.reason : 'undelivered'
  return { type: 'call', outcome: 'platform', reason, text }
}

/** Hears how the requests of one call fail. */
interface CallHearer {
  /** A request failed. */
  readonly failed: (failure: CallFailure) => void
  /** The call has no reply, because its time is over. `error` is what it ended with. */
  readonly ended: (error: unknown, by: 'clock' | 'sampling') => void
}

/**
 * Tells `on` of every failed request to a miner. For people, each reason for which a reply is
 * missing is told once, as a problem. A request that is made again, and then gets a reply, is no
 * problem.
 */
export function callFailures(miner: string, on: Hear = () => {}): () => CallHearer {
  const told = new Set<string>(['deployment'])
  const tell = (reason: string, text: string): void => {
    if (told.has(reason)) return
    told.add(reason)
    on({ type: 'problem', what: `miner ${miner}`, error: new Error(text) })
  }
  return () => {
    let last: CallFailure | undefined
    const note = (failure: CallFailure): void => {
      last = failure
      on(failure)
    }
    const failed = (failure: CallFailure): void => {
      note(failure)
      if (failure.outcome === 'miner') tell(failure.reason, failure.text)
    }
    const ended: CallHearer['ended'] = (error, by) => {
      // What had failed before tells more than a request that was still under way.
      if (last === undefined && error instanceof NoReply) note(failureOf(error))
      if (by === 'clock') {
        const text = clockText(last)
        on({ type: 'call', outcome: 'miner', reason: 'clock', text })
        tell(last?.reason ?? 'clock', text)
      } else if (last !== undefined) tell(last.reason, last.text)
    }
    return { failed, ended }
  }
}

function clockText(last: CallFailure | undefined): string {
  const why = last === undefined ? '' : `; its last request: ${last.text}`
  return `its clock in a game ran out, so it lost that game${why}`
}
