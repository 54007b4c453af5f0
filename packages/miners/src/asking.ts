import type { Agent } from '@affine/envs'
import type { Asked } from './deployment/deployment.ts'
import type { NoReplyReason } from './no-reply.ts'
import type { Caller, UndeliveredReason } from './query.ts'

/**
 * An agent whose calls can each have an end of their own, `until`, instead of that of the sampling:
 * what has no reply by then has none. Such a call is a game's, whose clock runs: it goes first, and
 * is repeated after short pauses.
 */
export type MinerAgent = (messages: Parameters<Agent>[0], until?: AbortSignal) => ReturnType<Agent>

/**
 * Who answers for a miner, with the time for a reply and the signal that ends the sampling: what
 * has no reply by then never has one. If its reason is `Stopped`, no miner is blamed for that.
 */
export type AgentOf = (miner: Asked, replyMs: number, signal: AbortSignal) => MinerAgent

/**
 * A request to a miner had no usable reply: `platform` is nothing that the miner could help.
 * Reasons are few. `text` is for people.
 */
export interface CallFailure {
  readonly type: 'call'
  readonly outcome: 'platform' | 'miner'
  readonly reason: NoReplyReason | UndeliveredReason | 'changed' | 'clock'
  readonly text: string
}

/** What happens while miners are asked. Nothing is decided from it. */
export type MinerEvent =
  /** A request to a miner had a usable reply. */
  | { readonly type: 'call'; readonly outcome: 'reply' }
  | CallFailure
  | { readonly type: 'problem'; readonly what: string; readonly error: Error }

/** Hears what happens while miners are asked. */
export type Hear = (event: MinerEvent) => void

/** How miners are asked. */
export interface Asking extends Caller {
  /** The most calls at once to one miner. */
  readonly concurrency: number
  readonly on?: Hear
}
