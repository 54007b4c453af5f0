import type { Account } from './account.ts'

/** The time between two blocks of Bittensor, in milliseconds. */
export const BLOCK_MS = 12_000

/** A finalized block: its number and its hash, 64 hex digits. Protocol §5.1. */
export interface Head {
  readonly number: number
  readonly hash: string
}

/**
 * A neuron in the metagraph. `stake` is in rao. `registered` is the block of its registration.
 * `lastUpdate` is the block in which it last set weights, or else that of its registration.
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
 * What a hotkey committed last, and the block in which it did. A hotkey has one slot, which it
 * keeps after it is deregistered. Protocol §5.2.
 */
export interface CommitmentSlot {
  readonly hotkey: string
  readonly block: number
  readonly fields: readonly Uint8Array[]
}

/**
 * The subnet at the end of the block `head`. Neurons are sorted by uid, commitments by hotkey.
 * Protocol §5.1.
 */
export interface Snapshot {
  readonly head: Head
  readonly tempo: number
  /** Tempos between a commit of weights and its reveal; 0 if weights are public at once. */
  readonly revealPeriod: number
  /** How many neurons the subnet has at most: more registrations evict others. */
  readonly maxUids: number
  /** So many blocks after its registration a neuron may be evicted; before, if others may not. */
  readonly immunityPeriod: number
  /** The hotkey of the subnet's owner, registered or not; undefined if the chain has none. */
  readonly owner?: string | undefined
  readonly neurons: readonly Neuron[]
  readonly commitments: readonly CommitmentSlot[]
}

/** Pairs of a uid and its weight, both 0 to 65535. */
export type UidWeights = readonly (readonly [uid: number, weight: number])[]

/**
 * One subnet of a chain, as the protocol needs it. Only finalized blocks are read. A call that the
 * chain refuses rejects with a `ChainError`, whose code is the chain's own name for the refusal. A
 * refused call is not sent again. Protocol §5.1.
 */
export interface Chain {
  /** Hash of block 0, 64 hex digits. */
  readonly genesis: string
  readonly netuid: number
  /**
   * Every finalized head, from the one that is current when the iteration begins. A slow reader
   * misses none. Ends when `signal` aborts.
   */
  heads(signal?: AbortSignal): AsyncIterable<Head>
  /** The newest finalized head. */
  head(): Promise<Head>
  /** The hash of a finalized block, 64 hex digits. */
  blockHash(number: number): Promise<string>
  /** The time at which a block was made, in milliseconds, by its author's clock. */
  time(block: number): Promise<number>
  /** The subnet at the end of `block`. */
  snapshot(block: number): Promise<Snapshot>
  /** Returns the weights in force at the end of `block`, by validator hotkey. */
  weights(block: number): Promise<Readonly<Record<string, UidWeights>>>
  /**
   * Overwrites the account's commitment slot. Resolves with the block that holds the call. No block
   * after `until` can hold it. Protocol §5.2.
   */
  commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head>
  /**
   * Sets the account's weights in the way that the subnet requires: at once, or as a commit that
   * the chain opens later. Resolves with the block that holds the call. No block after `until` can
   * hold it. The largest weight has to be 65,535: subtensor would rescale others. Protocol §8.13.
   */
  setWeights(account: Account, weights: UidWeights, until?: number): Promise<Head>
  /**
   * A sentence for each thing that this client uses and that the chain's runtime lacks. A local
   * chain has no runtime, and so not this method.
   */
  runtimeFaults?(): Promise<readonly string[]>
  /** Ends its connection, where it has one. */
  close?(): Promise<void>
}

/**
 * The clock (Unix time in milliseconds), randomness, network and files with which chains are
 * opened.
 */
export interface Host {
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
  readonly fetch: typeof globalThis.fetch
  /** The text of a file. Rejects if the file does not exist. */
  readonly readText: (path: string) => Promise<string>
}

/** What it takes to open a chain of any kind. */
export interface ChainOpening extends Host {
  /** The text that names the chain. */
  readonly name: string
  /** Where the chain is. Any one of several places is enough. */
  readonly places: readonly string[]
  readonly netuid?: number | undefined
  /**
   * The chain's hash of block 0, 64 hex digits; another chain is refused. Without it, the first
   * chain that answers is taken.
   */
  readonly genesis?: string | undefined
  /** Called with the error when something is tried again. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/** Opens a chain of one kind. */
export type OpenAt = (opening: ChainOpening) => Promise<Chain>

/** An amount in rao as a decimal with nine places: 10^9 rao are `1.000000000`. */
export const decimalOf = (rao: bigint): string =>
  `${rao / 10n ** 9n}.${`${rao % 10n ** 9n}`.padStart(9, '0')}`
