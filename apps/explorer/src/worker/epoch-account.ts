import { trustOf } from '@affine/duel'
import { type EpochFacts, epochFacts, type MinerStats, type Side } from '@affine/report'
import type { Flaw, Recomputed, Remark, Votes } from '@affine/settlement'
import type { Line } from './sample-index.ts'

/** A challenge that was lost: where it is, and why, if it was forfeited. */
export interface LostLine extends Line {
  readonly env: string
  readonly index: number
  readonly forfeit: string | undefined
}

/** What each side of a duel did in it so far, in the lanes that count. */
export type SideStats = Readonly<Record<Side, MinerStats<LostLine>>>

/** One epoch as it may be shown: plain values, for another thread. */
export interface EpochAccount extends EpochFacts {
  readonly flaws: readonly Flaw[]
  /** How many copies of its blocks were compared; undefined before. */
  readonly copies?: number
  readonly remarks: readonly Remark[]
  readonly votes: Votes | undefined
  /** By validator, in ppm, of all that have a record. */
  readonly trust: Readonly<Record<string, number>>
  readonly stats: SideStats
}

/** The account of an epoch that was recomputed. */
export function epochAccount(recomputed: Recomputed, stats: SideStats): EpochAccount {
  const { state, flaws, remarks, votes } = recomputed
  const trust = Object.entries(state.trust).map(([hotkey, record]) => [hotkey, trustOf(record)])
  return {
    ...epochFacts(recomputed),
    flaws,
    remarks,
    votes,
    trust: Object.fromEntries(trust),
    stats,
  }
}
