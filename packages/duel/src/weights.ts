import { compare, own } from './record.ts'
import type { Snapshot, State, Witnessed } from './state.ts'
import { NEWCOMER, trust } from './trust.ts'

/**
 * Who votes in a duel, in ppm of the heaviest: stake × trust of the validators that committed to a secret. No more than
 * an attestation has bits, so the heaviest ones; none whose weight rounds to nothing.
 */
export function weigh(
  { validators, protocol }: Snapshot,
  heard: Witnessed['heard'],
  record: State['trust'],
): Readonly<Record<string, number>> {
  const pulls = validators
    .filter(({ hotkey, stake }) => Object.hasOwn(heard, hotkey) && stake > 0n)
    .map(({ hotkey, stake }) => ({ hotkey, pull: stake * BigInt(trust(own(record, hotkey) ?? NEWCOMER)) }))
    .sort((a, b) => compare(b.pull, a.pull) || compare(a.hotkey, b.hotkey))
    .slice(0, protocol.validatorsMost)
  const most = pulls[0]?.pull || 1n
  const weights = pulls.map(({ hotkey, pull }) => [hotkey, Number((1_000_000n * pull) / most)] as const)
  return Object.fromEntries(weights.filter(([, weight]) => weight > 0))
}
