import { canonicalize, digest, type Hash } from '@affine/prng'
import type { Tally } from './evidence.ts'
import type { Protocol } from './protocol.ts'
import type { Trust } from './trust.ts'

/** A hotkey and what it commits to on chain. */
export type Miner = {
  readonly hotkey: string
  readonly model: string
  readonly revision: string
  readonly chute: string
}

/** What governs one epoch. Every validator computes the same one; keys of records are hotkeys unless said otherwise. */
export type State = {
  readonly protocol: Protocol
  readonly epoch: number
  /** The ratio to beat, in ppm, that a duel starting now would keep. */
  readonly ratio: number
  readonly champion?: Miner
  /** Digests of the commitments that had their duel, ascending. */
  readonly dueled: readonly Hash[]
  readonly trust: Readonly<Record<string, Trust>>
  /** The last head each validator sealed. */
  readonly heads: Readonly<Record<string, Hash>>
  /** Who is expected to seal a lane this epoch, and the commitment to its secret. */
  readonly due: Readonly<Record<string, Hash>>
  readonly duel?: Duel
}

export type Duel = {
  readonly id: Hash
  readonly champion: Miner
  readonly contender: Miner
  /** Its first epoch. */
  readonly start: number
  readonly ratio: number
  /** The voters, in ppm of the heaviest. Fixed. */
  readonly weights: Readonly<Record<string, number>>
  /** By environment, then hotkey: what accepted lanes saw since the start. */
  readonly tallies: Readonly<Record<string, Readonly<Record<string, Tally>>>>
  /** By environment. The others are open. */
  readonly verdicts: Readonly<Record<string, 'win' | 'hold' | 'even'>>
}

/** The attestation a validator had on chain at the snapshot. */
export interface Attestation {
  /** The epoch attested. */
  readonly epoch: number
  /** Bit i (byte i >> 3, lowest first): the lane of the i-th hotkey of the duel's weights, ascending, is whole and served. */
  readonly bitmap: Uint8Array
  /** The commitment to the next epoch's secret. */
  readonly next: Hash
  /** The root of the state that governed the epoch attested. */
  readonly stateRoot: Hash
}

/** The chain at the last block before an epoch. A hotkey is in each list at most once; order says nothing. */
export interface Snapshot {
  readonly epoch: number
  /** In force from this epoch, for duels that start. */
  readonly protocol: Protocol
  /** Every registered one. */
  readonly hotkeys: readonly string[]
  /** Those with a permit. */
  readonly validators: readonly { readonly hotkey: string; readonly stake: bigint; readonly attest?: Attestation }[]
  /** Registered hotkeys whose miner commitment is valid, and the block that holds it. */
  readonly miners: readonly (Miner & { readonly block: number })[]
}

/** The head each validator had on chain when lanes closed. */
export type Seals = Readonly<Record<string, Hash>>

/** Whole lanes by hotkey, then environment. A lane that is not whole, or was not found, is absent. */
export type Lanes = Readonly<Record<string, Readonly<Record<string, Tally>>>>

/** What an epoch left behind: attestations that count, seals, whole lanes. */
export interface Witnessed {
  readonly heard: Readonly<Record<string, Attestation>>
  readonly seals: Seals
  readonly lanes: Lanes
}

/** The state of a network's first epoch: nobody on the throne, nobody due. */
export function genesis(protocol: Protocol, epoch: number): State {
  return { protocol, epoch, ratio: protocol.ratioFloorPpm, dueled: [], trust: {}, heads: {}, due: {} }
}

/** The digest that a validator attests. */
export function stateRoot(state: State): Hash {
  return digest('state', state)
}

/** Canonical JSON, as `v1/states/<epoch>.json` holds it and `parseState` reads it. */
export function encodeState(state: State): string {
  return canonicalize(state)
}

/** The id of the duel that starts in epoch `start`. */
export function duelId(champion: Miner, contender: Miner, start: number): Hash {
  return digest('duel', minerOf(champion), minerOf(contender), start)
}

/** The digest of what a miner commits to: it has one duel. */
export function contentOf(miner: Miner): Hash {
  return digest('content', minerOf(miner))
}

/** The four fields alone, whatever else is on the object. */
export function minerOf({ hotkey, model, revision, chute }: Miner): Miner {
  return { hotkey, model, revision, chute }
}

/** The environments of a duel that have no verdict yet, ascending. */
export function openEnvs({ verdicts }: Duel, { envs }: Protocol): readonly string[] {
  return Object.keys(envs)
    .filter((env) => !Object.hasOwn(verdicts, env))
    .sort()
}
