import { digest, type Hash } from '@affine/prng'
import type { Protocol } from './protocol.ts'
import type { LaneTally } from './tally.ts'

/** A hotkey and what it commits to on chain. */
export type Miner = Readonly<Record<'hotkey' | 'model' | 'revision' | 'chute', string>>

/**
 * How often a validator's lanes were good, in millionths of a lane, older ones fading.
 * Protocol §8.9.
 */
export type Trust = { readonly correct: number; readonly incorrect: number }

/** A validator's last attestation that counted. Protocol §8.1. */
export type LastAttested = {
  readonly epoch: number
  /** Its stake in that epoch's snapshot, in digits. */
  readonly stake: string
}

/** What a miner last left the queue with. Protocol §8.12. */
export type LastPlayed = {
  readonly content: Hash
  /** The last block of the epoch in which it left the list or the throne. */
  readonly left?: number
}

/**
 * What governs one epoch. Every validator computes the same one; keys of records are hotkeys unless
 * said otherwise. Protocol §9.1.
 */
export type State = {
  readonly protocol: Protocol
  readonly epoch: number
  /** The ratio to beat, in ppm. */
  readonly ratio: number
  readonly champion?: Miner
  /** By environment: the best rate that is known of the throne, in ppm. Protocol §8.10. */
  readonly record: Readonly<Record<string, number>>
  readonly lastPlayed: Readonly<Record<string, LastPlayed>>
  /** The active validators; absent until a network's first epoch is decided. */
  readonly attested?: Readonly<Record<string, LastAttested>>
  readonly voters: Weights
  readonly trust: Readonly<Record<string, Trust>>
  /** The last head each validator sealed. */
  readonly heads: Readonly<Record<string, Hash>>
  /** Who is expected to seal a lane this epoch, and the commitment to its secret. */
  readonly due: Readonly<Record<string, Hash>>
  /** In the order in which they began. */
  readonly duels: readonly Duel[]
}

/** The champion against one contender. Protocol §8.2, §9.1. */
export type Duel = {
  readonly contender: Miner
  /** Its first epoch. */
  readonly start: number
  /** For each of its epochs, empty if that was frozen: what accepted lanes saw. */
  readonly tallies: readonly EpochTallies[]
  /** By environment. */
  readonly verdicts: Readonly<Record<string, Verdict>>
}

/** By environment that was played, then by hotkey. */
export type EpochTallies = Readonly<Record<string, Readonly<Record<string, LaneTally>>>>

/** By hotkey, in ppm of the heaviest. Protocol §8.1. */
export type Weights = Readonly<Record<string, number>>

/** An environment's verdict, which stays. Protocol §8.6. */
export type Verdict = 'win' | 'hold' | 'even'

/** The state of a network's first epoch: nobody on the throne, nobody due. Protocol §9.3. */
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

/** The digest that a validator attests. Protocol §9.4. */
export const stateRoot = (state: State): Hash => digest('state', state)

/** The four fields alone, whatever else is on the object. */
export const minerOf = ({ hotkey, model, revision, chute }: Miner): Miner => ({
  hotkey,
  model,
  revision,
  chute,
})

/** The digest of what a miner commits to: it does not play with it again. Protocol §8.12. */
export const contentOf = (miner: Miner): Hash => digest('content', minerOf(miner))

/**
 * The chain at the last block before an epoch, as a decision reads it. A hotkey is in each list at
 * most once; order says nothing. Protocol §5.1.
 */
export interface DuelSnapshot {
  readonly epoch: number
  /** In force from this epoch on. */
  readonly protocol: Protocol
  /** Every registered one. */
  readonly hotkeys: readonly string[]
  /** Those with a permit. */
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
