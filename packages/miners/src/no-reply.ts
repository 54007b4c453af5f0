/** Why a request had no usable reply. */
export type NoReplyReason =
  | 'status'
  | 'redirect'
  | 'late'
  | 'too-large'
  | 'not-http'
  | 'not-json'
  | 'stream'
  | 'error'
  | 'no-text'
  | 'deployment'

/** The miner's server did not give a usable reply. The message says what came, and what to try. */
export class NoReply extends Error {
  readonly reason: NoReplyReason
  constructor(reason: NoReplyReason, message: string) {
    super(message)
    this.reason = reason
  }
}
