import type { Attestations } from './acceptance.ts'
import { own } from './record.ts'
import type { Snapshot, State } from './state.ts'
import { NEWCOMER, trust } from './trust.ts'

/**
 * Who votes in a duel, in ppm of the heaviest: stake × trust of the validators that committed to a secret. No more than
 * an attestation has bits, so the heaviest ones; none whose weight rounds to nothing.
 */
export function weigh(
  { validators, protocol }: Snapshot,
  heard: Attestations,
  record: State['trust'],
): Readonly<Record<string, number>> {
  const pulls = validators
    .filter(({ hotkey, stake }) => Object.hasOwn(heard, hotkey) && stake > 0n)
    .map(({ hotkey, stake }) => ({ hotkey, pull: stake * BigInt(trust(own(record, hotkey) ?? NEWCOMER)) }))
    .sort((a, b) => (a.pull === b.pull ? (a.hotkey < b.hotkey ? -1 : 1) : a.pull > b.pull ? -1 : 1))
    .slice(0, protocol.validatorsMost)
  const most = pulls[0]?.pull ?? 0n
  const weights = pulls.map(({ hotkey, pull }) => [hotkey, most > 0n ? Number((1_000_000n * pull) / most) : 0] as const)
  return Object.fromEntries(weights.filter(([, weight]) => weight > 0))
}
