import { digest, type Hash } from '@affine/prng'
import type { Protocol } from './protocol.ts'
import type { LaneTally } from './tally.ts'

/** A hotkey and its commitment on chain. */
export type Miner = Readonly<Record<'hotkey' | 'model' | 'revision' | 'chute', string>>

/**
 * Counts of environments in which a validator's lane was correct or incorrect, in millionths; they
 * fade. Protocol §8.9.
 */
export type Trust = { readonly correct: number; readonly incorrect: number }

/** A validator's last attestation that counted. Protocol §8.1. */
export type LastAttested = {
  readonly epoch: number
  /** Stake in that epoch's snapshot, as decimal digits. */
  readonly stake: string
}

/** A miner's last turn. Protocol §8.12. */
export type LastPlayed = {
  /** Commitment digest of that turn: see `digestContent`. */
  readonly content: Hash
  /** Last block of the epoch in which it left the duels without the throne, or lost the throne. */
  readonly left?: number
}

/**
 * The state that governs an epoch. Everyone computes the same state. Keys of records are hotkeys
 * unless stated otherwise. Protocol §9.1.
 */
export type State = {
  readonly protocol: Protocol
  readonly epoch: number
  /** Ratio to beat, in ppm. */
  readonly ratio: number
  readonly champion?: Miner
  /** Best known rates of this and earlier champions, by environment, in ppm. Protocol §8.10. */
  readonly record: Readonly<Record<string, number>>
  readonly lastPlayed: Readonly<Record<string, LastPlayed>>
  /** Active validators. Absent until a network's first epoch is decided. */
  readonly attested?: Readonly<Record<string, LastAttested>>
  readonly voters: Weights
  readonly trust: Readonly<Record<string, Trust>>
  /** Last head that each validator sealed while it was due. */
  readonly heads: Readonly<Record<string, Hash>>
  /** Validators expected to seal a lane in this epoch, with their commitments to secrets. */
  readonly due: Readonly<Record<string, Hash>>
  /** Duels in progress, in the order in which they began. */
  readonly duels: readonly Duel[]
}

/** A duel of the champion and one contender. Protocol §8.2, §9.1. */
export type Duel = {
  readonly contender: Miner
  /** First epoch of the duel. */
  readonly start: number
  /** Tallies of the accepted lanes, one item an epoch; empty for a frozen epoch. */
  readonly tallies: readonly EpochTallies[]
  /** Keyed by environment. */
  readonly verdicts: Readonly<Record<string, Verdict>>
}

/** Tallies by environment that was played, then by validator. */
export type EpochTallies = Readonly<Record<string, Readonly<Record<string, LaneTally>>>>

/** Weights by hotkey, in ppm of the heaviest voter's weight. Protocol §8.1. */
export type Weights = Readonly<Record<string, number>>

/**
 * An environment's verdict. Only a `win` can be withdrawn: if all other environments become `even`.
 * Protocol §8.6.
 */
export type Verdict = 'win' | 'hold' | 'even'

/** Returns the state of a network's first epoch. Protocol §9.3. */
export function firstState(protocol: Protocol, epoch: number): State {
  return {
    protocol,
    epoch,
    ratio: protocol.ratioFloorPpm,
    record: {},
    lastPlayed: {},
    voters: {},
    trust: {},
    heads: {},
    due: {},
    duels: [],
  }
}

/** Returns the digest that a validator attests. Protocol §9.4. */
export const stateRoot = (state: State): Hash => digest('state', state)

/** Returns only the four fields of a miner. */
export const pickMiner = ({ hotkey, model, revision, chute }: Miner): Miner => ({
  hotkey,
  model,
  revision,
  chute,
})

/**
 * Returns the digest of a miner's commitment. A miner whose digest is still that of its last turn
 * does not wait for another turn. Protocol §8.12.
 */
export const digestContent = (miner: Miner): Hash => digest('content', pickMiner(miner))

/**
 * The chain at the last block before an epoch, as a decision reads it. Each list has a hotkey at
 * most once, in any order. Protocol §5.1.
 */
export interface DuelSnapshot {
  readonly epoch: number
  /** Constants that apply from this epoch on. */
  readonly protocol: Protocol
  /** Registered hotkeys. */
  readonly hotkeys: readonly string[]
  /** Validators with a permit. */
  readonly validators: readonly {
    readonly hotkey: string
    readonly stake: bigint
    readonly attest?: Attestation
  }[]
  /** Registered hotkeys whose miner commitment is valid. */
  readonly miners: readonly Candidate[]
}

/** A miner with the blocks of its commitment and of its registration. */
export type Candidate = Miner & { readonly block: number; readonly registered: number }

/** The attestation that a validator had on chain at the snapshot. Protocol §5.2. */
export interface Attestation {
  /** Attested epoch. */
  readonly epoch: number
  /** Bits of the lanes that are valid and served, from `encodeBitmap`. */
  readonly bitmap: Uint8Array
  /** Commitment to the next epoch's secret. */
  readonly next: Hash
  /** Root of the state that governed the attested epoch. */
  readonly stateRoot: Hash
}

/** The attestations that count, by hotkey. Protocol §8.3. */
export type CountedAttestations = ReadonlyMap<string, Attestation>
