import { digest, type Hash } from '@affine/prng'
import { type EnvConstants, quotaOf } from './env-constants.ts'
import type { Protocol } from './protocol.ts'
import type { Tallies } from './tally.ts'

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

/** The duels of one registration, a throne taken without one among them. Protocol §8.11. */
export type Turns = {
  /** The block of the registration. */
  readonly registered: number
  readonly duels: number
  /** The epoch in which the last one ended, or began while it goes on. */
  readonly ended: number
  /** The digest of what it last played with; absent when it may play with that again. */
  readonly content?: Hash
}

/**
 * What governs one epoch. Every validator computes the same one; keys of records are hotkeys unless
 * said otherwise. Protocol §9.1.
 */
export type State = {
  readonly protocol: Protocol
  readonly epoch: number
  /** The ratio to beat, in ppm, that a duel starting now would keep. */
  readonly ratio: number
  readonly champion?: Miner
  /**
   * By environment: the best that the champion is known to have earned, or, since the throne was
   * last won by verdicts, whoever had it before. In ppm. Protocol §8.10.
   */
  readonly record: Readonly<Record<string, number>>
  /** How many turns there were: of two that follow each other, one is by waiting. */
  readonly turns: number
  /** What each registered miner has had: who had none is absent. */
  readonly dueled: Readonly<Record<string, Turns>>
  /** The active validators; absent until a network's first epoch is decided. */
  readonly attested?: Readonly<Record<string, LastAttested>>
  readonly trust: Readonly<Record<string, Trust>>
  /** The last head each validator sealed. */
  readonly heads: Readonly<Record<string, Hash>>
  /** Who is expected to seal a lane this epoch, and the commitment to its secret. */
  readonly due: Readonly<Record<string, Hash>>
  readonly duel?: Duel
}

/** With so many frozen epochs a duel ends, and the champion stays. Protocol §8.3. */
export const FROZEN_MOST = 4

/** Two miners of which one will have the throne. Protocol §9.1. */
export type Duel = {
  readonly id: Hash
  readonly champion: Miner
  readonly contender: Miner
  /** Its first epoch. */
  readonly start: number
  readonly ratio: number
  /** The voters, in ppm of the heaviest. Fixed. */
  readonly weights: Weights
  /** The voters' stakes at the start, in digits: who has less later weighs less. */
  readonly stakes: Readonly<Record<string, string>>
  /** How many of its epochs were frozen. */
  readonly frozen: number
  /** By environment: what accepted lanes saw, for each epoch that counted while it was open. */
  readonly tallies: Readonly<Record<string, readonly Tallies[]>>
  /** By environment. The others are open. */
  readonly verdicts: Readonly<Record<string, Verdict>>
}

/** By hotkey, in ppm of the heaviest at the duel's start. Protocol §8.1. */
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
    turns: 0,
    dueled: {},
    trust: {},
    heads: {},
    due: {},
  }
}

/** The ratio to beat in the epoch that a state governs, in ppm: a duel keeps its own. */
export const ratioToBeat = ({ ratio, duel }: Pick<State, 'ratio' | 'duel'>): number =>
  duel?.ratio ?? ratio

/** The digest that a validator attests. Protocol §9.4. */
export const stateRoot = (state: State): Hash => digest('state', state)

/** The four fields alone, whatever else is on the object. */
export const minerOf = ({ hotkey, model, revision, chute }: Miner): Miner => ({
  hotkey,
  model,
  revision,
  chute,
})

/** The digest of what a miner commits to: it has no second duel in a row. Protocol §8.11. */
export const contentOf = (miner: Miner): Hash => digest('content', minerOf(miner))

/** The id of the duel that starts in epoch `start`. Protocol §4. */
export function duelId(champion: Miner, contender: Miner, start: number): Hash {
  return digest('duel', minerOf(champion), minerOf(contender), start)
}

/** Has it ended because too many of its epochs were frozen? Protocol §8.3. */
export const isFrozenOut = ({ frozen }: Pick<Duel, 'frozen'>): boolean => frozen >= FROZEN_MOST

/** The environments of a duel that have no verdict yet, ascending. Protocol §8.6. */
export function openEnvs({ verdicts }: Duel, { envs }: Protocol): readonly string[] {
  const isOpen = (env: string) => !Object.hasOwn(verdicts, env)
  return Object.keys(envs).filter(isOpen).sort()
}

/**
 * What a lane plays in the epoch that a state governs: challenges by open environment, ascending;
 * nothing without a duel. Protocol §8.2.
 */
export function quotasOf({
  epoch,
  duel,
  protocol,
}: Pick<State, 'epoch' | 'duel' | 'protocol'>): Readonly<Record<string, number>> {
  if (duel === undefined) return {}
  const epochIndex = epoch - duel.start + 1
  const quotas = openEnvs(duel, protocol).map((env) => {
    // It is open, so it is one of them.
    const constants = protocol.envs[env] as EnvConstants
    return [env, quotaOf(epochIndex, constants)] as const
  })
  return Object.fromEntries(quotas)
}

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
