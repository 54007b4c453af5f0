import { PPM } from '@affine/wilson'
import { compare } from './ascending.ts'
import { own, tabulate } from './own-keys.ts'
import type { Protocol } from './protocol.ts'
import type { CountedAttestations, DuelSnapshot } from './snapshot.ts'
import type { Duel, State, Weights } from './state.ts'
import { trustOf } from './trust.ts'

/**
 * Who votes in a duel, in ppm of the heaviest: stake × trust of the active validators, absent ones
 * included. No more than an attestation has bits, so the heaviest ones; none whose weight rounds to
 * nothing. Protocol §8.1.
 */
export function weighVoters(
  stakes: ReadonlyMap<string, bigint>,
  trust: State['trust'],
  { validatorsMost }: Protocol,
): Weights {
  const pulls = [...stakes]
    .map(([hotkey, stake]) => ({ hotkey, pull: stake * BigInt(trustOf(own(trust, hotkey))) }))
    .sort((a, b) => compare(b.pull, a.pull) || compare(a.hotkey, b.hotkey))
    .slice(0, validatorsMost)
  const greatest = pulls[0]?.pull ?? 0n
  if (greatest === 0n) return {}
  const weights = pulls.map(
    ({ hotkey, pull }) => [hotkey, Number((PPM * pull) / greatest)] as const,
  )
  return Object.fromEntries(weights.filter(([, weight]) => weight > 0))
}

/** The stakes of the voters, as a duel keeps them. Protocol §8.1. */
export const stakesOf = (weights: Weights, stakes: ReadonlyMap<string, bigint>): Duel['stakes'] =>
  tabulate(Object.keys(weights), (hotkey) => String(stakes.get(hotkey)))

/**
 * What the voters weigh in an epoch that ends with this snapshot: less with less stake than at the
 * duel's start, so that stake borrowed for a block counts for one, and nothing without a permit.
 * Protocol §8.1.
 */
export function weighToday(duel: Duel, { validators }: DuelSnapshot): Weights {
  const stakes = new Map(validators.map(({ hotkey, stake }) => [hotkey, stake]))
  return tabulate(Object.keys(duel.weights), (hotkey) => {
    const weight = BigInt(own(duel.weights, hotkey) ?? 0)
    const then = BigInt(own(duel.stakes, hotkey) ?? 1)
    const now = stakes.get(hotkey) ?? 0n
    if (now >= then) return Number(weight)
    if (now <= 0n) return 0
    return Number((weight * now) / then)
  })
}

/**
 * The voters that committed to a secret for the coming epoch, and the commitment; nobody without a
 * duel. Protocol §8.1.
 */
export function dueVoters(duel: Duel | undefined, heard: CountedAttestations): State['due'] {
  if (duel === undefined) return {}
  const due = [...heard].filter(([hotkey]) => Object.hasOwn(duel.weights, hotkey))
  return Object.fromEntries(due.map(([hotkey, { next }]) => [hotkey, next]))
}

/** What these voters, or all of them, weigh. */
export function weightOf(
  weights: Weights,
  voters: readonly string[] = Object.keys(weights),
): number {
  return voters.reduce((sum, voter) => sum + (own(weights, voter) ?? 0), 0)
}
