import type { Hash } from '@affine/prng'
import type { Protocol } from './protocol.ts'
import type { Miner } from './state.ts'

/**
 * The chain at the last block before an epoch, as a decision reads it. A hotkey is in each list at
 * most once; order says nothing. Protocol §5.1.
 */
export interface DuelSnapshot {
  readonly epoch: number
  /** In force from this epoch, for duels that start. */
  readonly protocol: Protocol
  /** Every registered one. */
  readonly hotkeys: readonly string[]
  /** Those with a permit. */
  readonly validators: readonly Permitted[]
  /** Registered hotkeys whose miner commitment is valid. */
  readonly miners: readonly Candidate[]
}

/** A miner with the blocks of its commitment and of its registration. */
export type Candidate = Miner & { readonly block: number; readonly registered: number }

/** A hotkey with a permit. */
export interface Permitted {
  readonly hotkey: string
  readonly stake: bigint
  readonly attest?: Attestation
}

/** The attestation a validator had on chain at the snapshot. Protocol §5.2. */
export interface Attestation {
  /** The epoch attested. */
  readonly epoch: number
  /** Whose lanes are whole and served, as `encodeBitmap` writes it. */
  readonly bitmap: Uint8Array
  /** The commitment to the next epoch's secret. */
  readonly next: Hash
  /** The root of the state that governed the epoch attested. */
  readonly stateRoot: Hash
}

/** By hotkey, the attestations that count. Protocol §8.3. */
export type CountedAttestations = ReadonlyMap<string, Attestation>
