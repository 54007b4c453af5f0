import type { Hash } from '@affine/prng'
import type { Protocol } from './protocol.ts'
import { compare, own } from './record.ts'
import { type Duel, type Miner, type State, stateRoot, type Trust } from './state.ts'

/**
 * The chain at the last block before an epoch. A hotkey is in each list at most once; order says
 * nothing.
 */
export interface Snapshot {
  readonly epoch: number
  /** In force from this epoch, for duels that start. */
  readonly protocol: Protocol
  /** Every registered one. */
  readonly hotkeys: readonly string[]
  /** Those with a permit. */
  readonly validators: readonly {
    readonly hotkey: string
    readonly stake: bigint
    readonly attest?: Attestation
  }[]
  /** Registered hotkeys whose miner commitment is valid, and the block that holds it. */
  readonly miners: readonly (Miner & { readonly block: number })[]
}

/** The attestation a validator had on chain at the snapshot. */
export interface Attestation {
  /** The epoch attested. */
  readonly epoch: number
  /**
   * Bit i (byte i >> 3, lowest first): the lane of the i-th hotkey of the duel's weights,
   * ascending, is whole and served.
   */
  readonly bitmap: Uint8Array
  /** The commitment to the next epoch's secret. */
  readonly next: Hash
  /** The root of the state that governed the epoch attested. */
  readonly stateRoot: Hash
}

/** By hotkey, the attestations that count. */
export type Heard = ReadonlyMap<string, Attestation>

const PPM = 1_000_000n

/** What a validator without a record has. */
export const NEWCOMER: Trust = Object.freeze({ correct: 0, incorrect: 0 })

/** Trust in ppm: the mean of Beta(1 + correct, 1 + incorrect), so a newcomer has one half. */
export function trust({ correct, incorrect }: Trust): number {
  const good = PPM + BigInt(correct)
  return Number((PPM * good) / (good + PPM + BigInt(incorrect)))
}

/**
 * The record after an epoch in which `good` lanes were correct and `bad` were not: what was there
 * fades first.
 */
export function remember(
  record: Trust,
  good: number,
  bad: number,
  { trustFadePpm }: Protocol,
): Trust {
  const after = (count: number, lanes: number) =>
    lanes * 1e6 + Number((BigInt(count) * BigInt(trustFadePpm)) / PPM)
  return { correct: after(record.correct, good), incorrect: after(record.incorrect, bad) }
}

/** The attestations of this epoch, and of this very state. */
export function attestations(state: State, { validators }: Snapshot): Heard {
  const root = stateRoot(state)
  const counts = (attest: Attestation) => attest.epoch === state.epoch && attest.stateRoot === root
  return new Map(
    validators.flatMap(({ hotkey, attest }) =>
      attest && counts(attest) ? [[hotkey, attest]] : [],
    ),
  )
}

/**
 * Who votes in a duel, in ppm of the heaviest: stake × trust of the validators that committed to a
 * secret. No more than an attestation has bits, so the heaviest ones; none whose weight rounds to
 * nothing.
 */
export function weigh(
  { validators, protocol }: Snapshot,
  heard: Heard,
  record: State['trust'],
): Duel['weights'] {
  const pulls = validators
    .filter(({ hotkey, stake }) => heard.has(hotkey) && stake > 0n)
    .map(({ hotkey, stake }) => ({
      hotkey,
      pull: stake * BigInt(trust(own(record, hotkey) ?? NEWCOMER)),
    }))
    .sort((a, b) => compare(b.pull, a.pull) || compare(a.hotkey, b.hotkey))
    .slice(0, protocol.validatorsMost)
  const most = pulls[0]?.pull || 1n
  const weights = pulls.map(({ hotkey, pull }) => [hotkey, Number((PPM * pull) / most)] as const)
  return Object.fromEntries(weights.filter(([, weight]) => weight > 0))
}

/** What these voters, or all of them, weigh in a duel. */
export function weightOf(
  { weights }: Duel,
  voters: readonly string[] = Object.keys(weights),
): number {
  return voters.reduce((sum, voter) => sum + (own(weights, voter) ?? 0), 0)
}

/**
 * Do these voters have more than half of the duel's weight? What makes a lane count, for who
 * decides and who reads.
 */
export function isMajority(duel: Duel, voters: readonly string[]): boolean {
  return 2 * weightOf(duel, voters) > weightOf(duel)
}

/** The voters whose attestation has the bit of `hotkey`, ascending. */
export function attestersOf({ weights }: Duel, heard: Heard, hotkey: string): readonly string[] {
  const voters = Object.keys(weights).sort()
  const bit = voters.indexOf(hotkey)
  return voters.filter(
    (voter) => (((heard.get(voter)?.bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1,
  )
}

/**
 * The due validators whose lanes more than half of the duel's weight attests, ascending: the lanes
 * to have before calling `decide`, which takes an absent lane for its validator's fault.
 */
export function attested(state: State, snapshot: Snapshot): readonly string[] {
  const { duel } = state
  const heard = attestations(state, snapshot)
  const most = (hotkey: string) => duel && isMajority(duel, attestersOf(duel, heard, hotkey))
  return Object.keys(state.due).filter(most).sort()
}
