import { digest, type Hash } from '@affine/prng'
import type { Protocol } from './protocol.ts'
import type { Tallies } from './tally.ts'

/** A hotkey and what it commits to on chain. */
export type Miner = Readonly<Record<'hotkey' | 'model' | 'revision' | 'chute', string>>

/**
 * How often a validator's lanes were good, in millionths of a lane, older ones fading.
 * Protocol §8.9.
 */
export type Trust = { readonly correct: number; readonly incorrect: number }

/** The duels of one registration, a throne taken without one among them. Protocol §8.11. */
export type Turns = {
  /** The block of the registration. */
  readonly registered: number
  readonly duels: number
  /** The digest of what it last played with. */
  readonly content: Hash
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
  /** By environment: the best the champion is known to have earned, in ppm. Protocol §8.10. */
  readonly record: Readonly<Record<string, number>>
  /** What each registered miner has had: who had none is absent. */
  readonly dueled: Readonly<Record<string, Turns>>
  readonly trust: Readonly<Record<string, Trust>>
  /** The last head each validator sealed. */
  readonly heads: Readonly<Record<string, Hash>>
  /** Who is expected to seal a lane this epoch, and the commitment to its secret. */
  readonly due: Readonly<Record<string, Hash>>
  readonly duel?: Duel
}

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
    dueled: {},
    trust: {},
    heads: {},
    due: {},
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

/** The digest of what a miner commits to: it has no second duel in a row. Protocol §8.11. */
export const contentOf = (miner: Miner): Hash => digest('content', minerOf(miner))

/** The id of the duel that starts in epoch `start`. Protocol §4. */
export function duelId(champion: Miner, contender: Miner, start: number): Hash {
  return digest('duel', minerOf(champion), minerOf(contender), start)
}

/** The environments of a duel that have no verdict yet, ascending. Protocol §8.6. */
export function openEnvs({ verdicts }: Duel, { envs }: Protocol): readonly string[] {
  const isOpen = (env: string) => !Object.hasOwn(verdicts, env)
  return Object.keys(envs).filter(isOpen).sort()
}
