import type { Account } from './account.ts'

/** Between two blocks of Bittensor, in milliseconds. */
export const BLOCK_MS = 12_000

/** A finalized block: its number and its hash, 64 hex digits. Protocol §5.1. */
export interface Head {
  readonly number: number
  readonly hash: string
}

/**
 * One slot of the metagraph. `stake` is in rao; `registered` is the block of its registration,
 * `lastUpdate` that of its last weights, or of its registration.
 */
export interface Neuron {
  readonly uid: number
  readonly hotkey: string
  readonly stake: bigint
  readonly permit: boolean
  readonly registered: number
  readonly lastUpdate: number
}

/**
 * What a hotkey has in its one commitment slot, and the block that wrote it. Outlives a
 * deregistration. Protocol §5.2.
 */
export interface CommitmentSlot {
  readonly hotkey: string
  readonly block: number
  readonly fields: readonly Uint8Array[]
}

/**
 * The subnet as it stood at the end of `head`. Neurons by uid, commitments by hotkey.
 * Protocol §5.1.
 */
export interface Snapshot {
  readonly head: Head
  readonly tempo: number
  /** Tempos between a commit of weights and its reveal; 0 where weights are set in the open. */
  readonly revealPeriod: number
  readonly neurons: readonly Neuron[]
  readonly commitments: readonly CommitmentSlot[]
}

/** Pairs of a uid and its weight, both 0 to 65535. */
export type UidWeights = readonly (readonly [uid: number, weight: number])[]

/**
 * One subnet, as the protocol needs it. Everything read is finalized. What the chain refuses
 * rejects with a `ChainError` that has the chain's own name for it; nothing is retried in here.
 * Protocol §5.1.
 */
export interface Chain {
  /** Hash of block 0, 64 hex digits. */
  readonly genesis: string
  readonly netuid: number
  /**
   * Every finalized head, from the current one when the iteration begins, without gaps however slow
   * it is. Ends on abort.
   */
  heads(signal?: AbortSignal): AsyncIterable<Head>
  head(): Promise<Head>
  blockHash(number: number): Promise<string>
  /** When the block was made, in milliseconds, by its author's clock. */
  time(block: number): Promise<number>
  snapshot(block: number): Promise<Snapshot>
  /**
   * The weights in force at the end of `block`, by validator hotkey, as the chain rescaled them.
   */
  weights(block: number): Promise<Readonly<Record<string, UidWeights>>>
  /**
   * Overwrites the account's slot; resolves with the block that holds it. Never enters a block
   * after `until`. Protocol §5.2.
   */
  commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head>
  /**
   * In whichever way the subnet asks for: in the open, or as a commit that the chain or `reveal`
   * opens later. Protocol §8.12.
   */
  setWeights(account: Account, weights: UidWeights): Promise<Head>
  /**
   * Reveals weights committed before, if their time has come; null when there are none. To be tried
   * at every head. Protocol §8.12.
   */
  reveal(account: Account): Promise<Head | null>
  /**
   * What the chain's runtime lacks of all that is asked of it, or has in another shape: a sentence
   * each. A local chain has no runtime.
   */
  runtimeFaults?(): Promise<readonly string[]>
}
