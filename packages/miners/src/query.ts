type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A POST of JSON; without a body a GET. */
export interface Query {
  readonly url: string
  readonly headers?: Headers
  readonly body?: string
  readonly replyMs: number
  readonly signal: AbortSignal
  readonly now: () => number
}

/** `text` is the body, `ms` the time it all took. */
export interface Received {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Headers
  readonly text: string
  readonly ms: number
  readonly invocation?: string
}

/**
 * Sends a request and resolves with the response, whatever its status. Rejects with `Undelivered`
 * when the platform did not deliver, and with another error for what the server itself did wrong.
 * Protocol §5.4.
 */
export type Exchange = (query: Query) => Promise<Received>

/** The statuses by which a platform says that the miner was not reached. Protocol §5.4. */
export const UNDELIVERED_STATUSES = ['429', '500', '502', '503', '504'] as const

/** Its status; `undelivered` without one, as where there is no connection. */
export type UndeliveredReason = (typeof UNDELIVERED_STATUSES)[number] | 'undelivered'

/** The platform did not deliver: what was asked is asked again. Protocol §5.4. */
export class Undelivered extends Error {
  readonly reason: UndeliveredReason
  constructor(message: string, reason: UndeliveredReason = 'undelivered') {
    super(message)
    this.reason = reason
  }
}

/** What requests are made with: a network, a clock in milliseconds, and a draw from 0 to 1. */
export interface Caller {
  readonly exchange: Exchange
  readonly now: () => number
  readonly random: () => number
}
