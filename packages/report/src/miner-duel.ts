import type { SamplePlace, Settled } from '@affine/settlement'
import { type DuelFacts, duelFacts } from './duel-facts.ts'
import type { DuelStats, MinerStats } from './miner-stats.ts'
import { type Side, sideOf } from './sides.ts'

/** A duel, seen from one of its two miners. */
export interface MinerDuel<Loss> {
  readonly hotkey: string
  readonly role: Side
  readonly duel: DuelFacts
  /** The first epoch of it that was read, and the last. */
  readonly from: number
  readonly to: number
  readonly stats: MinerStats<Loss>
}

/**
 * The duel of an epoch with all of it that was read so far, for a miner that is in it; undefined
 * for any other. `before` is what this gave for the epoch before; `stats` has finished this one.
 */
export function minerDuel<Loss, Place extends SamplePlace>(
  before: MinerDuel<Loss> | undefined,
  settled: Settled,
  { hotkey, stats }: { readonly hotkey: string; readonly stats: DuelStats<Loss, Place> },
): MinerDuel<Loss> | undefined {
  const duel = duelFacts(settled)
  const role = sideOf(hotkey, duel)
  if (duel === undefined || role === undefined) return undefined
  const { epoch } = settled.before
  const from = before?.duel.id === duel.id ? before.from : epoch
  return { hotkey, role, duel, from, to: epoch, stats: stats.of(role) }
}
