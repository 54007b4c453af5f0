import { compare } from './ascending.ts'
import { own, tabulate } from './own-keys.ts'
import type { CountedAttestations, DuelSnapshot } from './snapshot.ts'
import type { Duel, State, Weights } from './state.ts'
import { trustOf } from './trust.ts'

const PPM = 1_000_000n

/**
 * Who votes in a duel, in ppm of the heaviest: stake × trust of the validators that committed to a
 * secret. No more than an attestation has bits, so the heaviest ones; none whose weight rounds to
 * nothing. Protocol §8.1.
 */
export function weighVoters(
  { validators, protocol }: DuelSnapshot,
  heard: CountedAttestations,
  trust: State['trust'],
): Weights {
  const pulls = validators
    .filter(({ hotkey, stake }) => heard.has(hotkey) && stake > 0n)
    .map(({ hotkey, stake }) => ({ hotkey, pull: stake * BigInt(trustOf(own(trust, hotkey))) }))
    .sort((a, b) => compare(b.pull, a.pull) || compare(a.hotkey, b.hotkey))
    .slice(0, protocol.validatorsMost)
  const greatest = pulls[0]?.pull ?? 0n
  if (greatest === 0n) return {}
  const weights = pulls.map(
    ({ hotkey, pull }) => [hotkey, Number((PPM * pull) / greatest)] as const,
  )
  return Object.fromEntries(weights.filter(([, weight]) => weight > 0))
}

/** The stakes of the voters, as a duel keeps them. Protocol §8.1. */
export function stakesOf(weights: Weights, { validators }: DuelSnapshot): Duel['stakes'] {
  const voters = validators.filter(({ hotkey }) => Object.hasOwn(weights, hotkey))
  return Object.fromEntries(voters.map(({ hotkey, stake }) => [hotkey, String(stake)]))
}

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
