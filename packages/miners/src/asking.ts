import type { Miner } from '@affine/duel'
import type { Agent } from '@affine/envs'
import type { DeploymentFault, TargetMiner } from './deployment/deployment.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** An HTTP request: a POST of JSON, or a GET if `body` is omitted. */
export interface Query {
  readonly url: string
  readonly headers?: Headers
  readonly body?: string
  /** Time limit in milliseconds of connecting and sending, and again of the response. */
  readonly replyMs: number
  /** Maximum response size in bytes. Default: 256 KiB. */
  readonly maxBytes?: number
  readonly signal: AbortSignal
  readonly now: () => number
}

/** An HTTP response: `text` is its body, `ms` the time of the whole request in milliseconds. */
export interface HttpResponse {
  readonly status: number
  /** Values by header name in lower case. */
  readonly headers: Headers
  readonly text: string
  readonly ms: number
  /** The platform's id of the call. Undefined without a platform. */
  readonly invocation?: string
}

/**
 * Sends a request. Resolves with the response, regardless of its status. Rejects with
 * `DeliveryError` if the platform failed to deliver the request, and with another error if the
 * server is at fault. Protocol §5.4.
 */
export type Exchange = (query: Query) => Promise<HttpResponse>

/** Reports whether a status means that the platform failed. Protocol §5.4. */
export function isUndelivered(status: number): boolean {
  return status === 429 || status >= 500
}

/**
 * The reason of a failed delivery: `429` or `5xx`, the status of a miner's response; `not-shown` if
 * the model is not public; `undelivered` in all other cases.
 */
export type UndeliveredReason = '429' | '5xx' | 'not-shown' | 'undelivered'

/** The platform failed to deliver a request, which is therefore sent again. Protocol §5.4. */
export class DeliveryError extends Error {
  readonly reason: UndeliveredReason
  constructor(message: string, reason: UndeliveredReason = 'undelivered') {
    super(message)
    this.reason = reason
  }
}

/** The network, and the clock in milliseconds, for requests. */
export interface Caller {
  readonly exchange: Exchange
  readonly now: () => number
}

export type MinerErrorCode =
  | UndeliveredReason
  | DeploymentFault
  // The response has no usable reply.
  | 'status'
  | 'redirect'
  | 'late'
  | 'too-large'
  | 'not-http'
  | 'not-json'
  | 'no-text'
  | 'nothing'
  // The deployment, or the clock in a game.
  | 'deployment'
  | 'changed'
  | 'not-seen'
  | 'clock'
  // The account at Chutes.
  | 'account-unknown'
  | 'key-refused'
  | 'no-access'

/**
 * A problem with a miner, such as an unusable response, or with the account at Chutes. The message
 * states the problem and how to fix it. `status` is that of a response, if it is not 200.
 */
export class MinerError extends Error {
  readonly code: MinerErrorCode
  readonly status: number | undefined
  constructor(code: MinerErrorCode, message: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

/**
 * The reason for which sampling ends early: the validator is stopping. Missing replies are not
 * counted against miners, and the lane continues when the validator is restarted.
 */
export class StopError extends Error {}

export interface CallTerms {
  /** Aborts when the call has to end, even if there is no reply. */
  readonly end: AbortSignal
  /**
   * Whether the call is part of a game, whose clock runs: the call takes precedence and is repeated
   * after short pauses.
   */
  readonly isGame: boolean
}

/** Returns a miner's answer. A call without terms is not part of a game and ends with sampling. */
export type MinerAgent = (messages: Parameters<Agent>[0], call?: CallTerms) => ReturnType<Agent>

export interface EpochContext {
  readonly epoch: number
  /** Aborts when sampling ends, with the reason `StopError` if the validator is stopping. */
  readonly signal: AbortSignal
}

/**
 * Returns the agent of a miner in an epoch. `replyMs` is the time limit of a reply in milliseconds.
 */
export type AgentFactory = (
  miner: TargetMiner,
  replyMs: number,
  context: EpochContext,
) => MinerAgent

/**
 * A request without a usable reply, a clock that ran out, or a changed deployment. `outcome` is
 * `platform` if the miner is not at fault. `text` is for people.
 */
export interface CallFailure {
  readonly type: 'call'
  readonly outcome: 'platform' | 'miner'
  readonly reason: MinerErrorCode
  /** Status of the response, if it is not 200. */
  readonly status?: number | undefined
  readonly text: string
}

/** A miner's model and chute: the URL of its endpoint or, on Chutes, the chute's id. */
export type Endpoint = Pick<Miner, 'model' | 'chute'> & Partial<Pick<Miner, 'hotkey'>>

export type MinerTask = { readonly kind: 'chutes' } | ({ readonly kind: 'miner' } & Endpoint)

/** An event of calling miners. No decision depends on events. */
export type MinerEvent =
  | { readonly type: 'call'; readonly outcome: 'reply' }
  | CallFailure
  | { readonly type: 'problem'; readonly task: MinerTask; readonly error: MinerError }

export type MinerListener = (event: MinerEvent) => void

export interface CallOptions extends Caller {
  /** Maximum concurrent calls to one miner. */
  readonly concurrency: number
  readonly on?: MinerListener
}

/**
 * Returns a signal that aborts with `signal` or after `ms` milliseconds. The timeout gets a
 * listener, because Node 20 garbage-collects a timeout without a listener, even in
 * `AbortSignal.any`.
 */
export function addTimeout(ms: number, signal: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  timeout.addEventListener('abort', () => {})
  return AbortSignal.any([signal, timeout])
}
