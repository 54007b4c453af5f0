import type { Miner } from '@affine/duel'
import type { Agent } from '@affine/envs'
import type { Asked, DeploymentFault } from './deployment/deployment.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A POST of JSON; without a body a GET. */
export interface Query {
  readonly url: string
  readonly headers?: Headers
  readonly body?: string
  readonly replyMs: number
  /** How many bytes a response may have, if not 256 KiB. */
  readonly mostBytes?: number
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

/** Reports whether a status says that the platform failed. Protocol §5.4. */
export function isUndelivered(status: number): boolean {
  return status === 429 || status >= 500
}

/** The kind of its status; `undelivered` without one, as where there is no connection. */
export type UndeliveredReason = '429' | '5xx' | 'not-shown' | 'undelivered'

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

/** Why a miner, or the account at Chutes, is a problem. */
export type MinerErrorCode =
  | UndeliveredReason
  | DeploymentFault
  // A response gave no usable reply.
  | 'status'
  | 'redirect'
  | 'late'
  | 'too-large'
  | 'not-http'
  | 'not-json'
  | 'stream'
  | 'error'
  | 'no-text'
  | 'nothing'
  // A miner's deployment, or its clock in a game.
  | 'deployment'
  | 'changed'
  | 'not-seen'
  | 'clock'
  // The account at Chutes.
  | 'account-unknown'
  | 'key-refused'
  | 'no-access'

/**
 * What a miner's server did instead of giving a usable reply, or another problem with a miner or
 * the account at Chutes. The message states what came, and what to try; `status` is that of a
 * response with another status than 200.
 */
export class AskingProblem extends Error {
  readonly code: MinerErrorCode
  readonly status: number | undefined
  constructor(code: MinerErrorCode, message: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

/**
 * The reason for ending a sampling phase early: the validator is stopping. No miner is blamed for a
 * reply that is missing, and the lane goes on when the validator is started again.
 */
export class Stopped extends Error {}

/** The terms of one call. */
export interface CallTerms {
  /** Aborts when the call is over. Without a reply before that, it has none. */
  readonly end: AbortSignal
  /** Whether the clock of a game runs: the call goes first, and is repeated after short pauses. */
  readonly isGame: boolean
}

/** An agent. A call without terms is not a game's, and ends with the sampling. */
export type MinerAgent = (messages: Parameters<Agent>[0], call?: CallTerms) => ReturnType<Agent>

/** The sampling of one epoch. */
export interface EpochContext {
  readonly epoch: number
  /**
   * Aborts when the sampling ends: a reply that is missing then never comes. If its reason is
   * `Stopped`, no miner is blamed for that.
   */
  readonly signal: AbortSignal
}

/** Returns the agent of a miner in an epoch; `replyMs` is the time for a reply in milliseconds. */
export type AgentOf = (miner: Asked, replyMs: number, context: EpochContext) => MinerAgent

/**
 * A request to a miner had no usable reply: `platform` is nothing that the miner could help.
 * Reasons are few. `text` is for people.
 */
export interface CallFailure {
  readonly type: 'call'
  readonly outcome: 'platform' | 'miner'
  readonly reason: MinerErrorCode
  /** The status of the response, if it is another than 200. */
  readonly status?: number | undefined
  readonly text: string
}

/** Where a miner answers, and how it is called there. */
export type Endpoint = Pick<Miner, 'model' | 'chute'> & Partial<Pick<Miner, 'hotkey'>>

/** What a problem is about: the account at Chutes, or a miner. */
export type MinerTask = { readonly kind: 'chutes' } | ({ readonly kind: 'miner' } & Endpoint)

/** What happens while miners are asked. Nothing is decided from it. */
export type MinerEvent =
  /** A request to a miner had a usable reply. */
  | { readonly type: 'call'; readonly outcome: 'reply' }
  | CallFailure
  | { readonly type: 'problem'; readonly task: MinerTask; readonly error: AskingProblem }

/** Hears what happens while miners are asked. */
export type Hear = (event: MinerEvent) => void

/** How miners are asked. */
export interface Asking extends Caller {
  /** The most calls at once to one miner. */
  readonly concurrency: number
  readonly on?: Hear
}

/**
 * Returns a signal that aborts with `signal`, or after `ms` milliseconds. Node 20 forgets the
 * timeout of `AbortSignal.any([signal, AbortSignal.timeout(ms)])` as soon as it collects garbage,
 * unless it has a listener.
 */
export function addTimeout(ms: number, signal: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  timeout.addEventListener('abort', () => {})
  return AbortSignal.any([signal, timeout])
}
