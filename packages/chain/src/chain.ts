import type { Account } from './account.ts'

/** Time between two blocks of Bittensor, in milliseconds. */
export const BLOCK_MS = 12_000

/** A finalized block: its number and its hash, 64 hex digits. Protocol §5.1. */
export interface Head {
  readonly number: number
  readonly hash: string
}

/**
 * A neuron of the metagraph. `stake` is in rao. `registered` is the block of its registration, and
 * `lastUpdate` the block in which it last set or committed weights, initially `registered`.
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
 * The last commitment of a hotkey, and its block. It remains after the hotkey is deregistered.
 * Protocol §5.2.
 */
export interface CommitmentSlot {
  readonly hotkey: string
  readonly block: number
  readonly fields: readonly Uint8Array[]
}

/**
 * The subnet at the end of block `head`. `tempo` is in blocks. Neurons are sorted by uid,
 * commitments by hotkey. Protocol §5.1.
 */
export interface Snapshot {
  readonly head: Head
  readonly tempo: number
  /** Tempos between a commit of weights and its reveal; 0 if weights are public immediately. */
  readonly revealPeriod: number
  /** Maximum number of neurons. Further registrations evict neurons. */
  readonly maxUids: number
  /**
   * Blocks after its registration during which a neuron is immune: it is evicted only if too few
   * neurons are not immune.
   */
  readonly immunityPeriod: number
  /** The hotkey of the subnet's owner, registered or not. Undefined if the chain stores none. */
  readonly owner?: string | undefined
  readonly neurons: readonly Neuron[]
  readonly commitments: readonly CommitmentSlot[]
}

/** Pairs of a uid and its weight, both 0 to 65535. */
export type UidWeights = readonly (readonly [uid: number, weight: number])[]

/** Constants of the environments in the setup of a local chain, by id. Protocol §9.2. */
export type ChainEnvs = Readonly<Record<string, EnvOfChain>>

type EnvOfChain = { readonly specHash: string } & Readonly<
  Record<'players' | 'quotaFirst' | 'quotaMost', number>
>

/**
 * One subnet of a chain, as the protocol needs it. Only finalized blocks are read. A call that the
 * chain refuses rejects with a `ChainError` and is not retried. Protocol §5.1.
 */
export interface Chain {
  /** Hash of block 0, 64 hex digits. */
  readonly genesis: string
  readonly netuid: number
  /** The environments of the network, if its first block determines them. */
  readonly envs?: ChainEnvs | undefined
  /**
   * Yields every finalized head from the current one on, also to a slow reader, until `signal`
   * aborts.
   */
  heads(signal?: AbortSignal): AsyncIterable<Head>
  /** Resolves with the newest finalized head. */
  head(): Promise<Head>
  /** Resolves with the hash of a finalized block, 64 hex digits. */
  blockHash(number: number): Promise<string>
  /** Resolves with the Unix time of a block in milliseconds, by its author's clock. */
  time(block: number): Promise<number>
  snapshot(block: number): Promise<Snapshot>
  /** Resolves with the weights in force at the end of `block`, by validator hotkey. */
  weights(block: number): Promise<Readonly<Record<string, UidWeights>>>
  /**
   * Overwrites the account's commitment slot. Resolves with the block that contains the call; no
   * block after `until` can contain it. Protocol §5.2.
   */
  commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head>
  /**
   * Sets the account's weights as the subnet requires: in public, or as a commit that the chain
   * opens later. Resolves with the block that contains the call; no block after `until` can contain
   * it. Subtensor rescales weights so that the largest is 65,535. Protocol §8.13.
   */
  setWeights(account: Account, weights: UidWeights, until?: number): Promise<Head>
  /**
   * Resolves with a sentence for each item that this client needs and the chain's runtime lacks.
   * Undefined for a local chain.
   */
  runtimeFaults?(): Promise<readonly string[]>
  /** Closes the connection. Undefined for a local chain. */
  close?(): Promise<void>
}

/**
 * The clock (Unix time in milliseconds), randomness, network and files that opening a chain needs.
 */
export interface Host {
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
  readonly fetch: typeof globalThis.fetch
  /** Resolves with the text of a file. Rejects if the file does not exist. */
  readonly readText: (path: string) => Promise<string>
}

export interface ChainOpening extends Host {
  /** The URLs or the file of the chain. Any one of several URLs is sufficient. */
  readonly places: readonly string[]
  readonly netuid?: number | undefined
  /**
   * The hash of block 0, 64 hex digits. A chain with another genesis is refused. Default: the
   * genesis of the first node that answers.
   */
  readonly genesis?: string | undefined
  /** Called with the error before a retry. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/** `name` is the chain's name as the user gave it. */
export type OpenAt = (name: string, opening: ChainOpening) => Promise<Chain>

/** Returns an amount in rao as a decimal with nine places: `1.000000000` for 10^9 rao. */
export const formatTao = (rao: bigint): string =>
  `${rao / 10n ** 9n}.${`${rao % 10n ** 9n}`.padStart(9, '0')}`
