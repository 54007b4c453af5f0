import { compare, own } from './record.ts'
import type { DuelSnapshot, Heard } from './snapshot.ts'
import type { Duel, State } from './state.ts'
import { trustOf } from './trust.ts'

const PPM = 1_000_000n

/**
 * Who votes in a duel, in ppm of the heaviest: stake × trust of the validators that committed to a
 * secret. No more than an attestation has bits, so the heaviest ones; none whose weight rounds to
 * nothing. Protocol §8.1.
 */
export function weighVoters(
  { validators, protocol }: DuelSnapshot,
  heard: Heard,
  trust: State['trust'],
): Duel['weights'] {
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

/**
 * The voters that committed to a secret for the coming epoch, and the commitment; nobody without a
 * duel. Protocol §8.1.
 */
export function dueVoters(duel: Duel | undefined, heard: Heard): State['due'] {
  if (duel === undefined) return {}
  const due = [...heard].filter(([hotkey]) => Object.hasOwn(duel.weights, hotkey))
  return Object.fromEntries(due.map(([hotkey, { next }]) => [hotkey, next]))
}

/** What these voters, or all of them, weigh in a duel. */
export function weightOf(
  { weights }: Duel,
  voters: readonly string[] = Object.keys(weights),
): number {
  return voters.reduce((sum, voter) => sum + (own(weights, voter) ?? 0), 0)
}
