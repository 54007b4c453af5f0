import type { Sample } from '@affine/blocks'
import { trustOf } from '@affine/duel'
import { DuelStats, type EpochFacts, epochFacts, type MinerStats, type Side } from '@affine/report'
import type { Flaw, Recomputed, SamplePlace, Votes, Warning } from '@affine/settlement'
import type { SampleLine } from './sample-index.ts'

/** A challenge that was lost: where it is, and why, if it was forfeited. */
export interface LostLine extends SampleLine {
  readonly env: string
  readonly index: number
  readonly forfeit: string | undefined
}

/** What each side of a duel did in it so far, in the lanes that count. */
type SideStats = Readonly<Record<Side, MinerStats<LostLine>>>

/** One epoch as it may be shown: plain values, for another thread. */
export interface EpochAccount extends EpochFacts {
  readonly flaws: readonly Flaw[]
  readonly warnings: readonly Warning[]
  readonly votes: Votes | undefined
  /** By validator, in ppm, of all that have a record. */
  readonly trust: Readonly<Record<string, number>>
  readonly stats: SideStats
}

/** Of each environment, of each side of a duel. */
const MOST_LOST = 20

/** Makes the accounts of one epoch after another. */
export class EpochAccounts {
  readonly #stats = new DuelStats<LostLine, SamplePlace & SampleLine>({
    most: MOST_LOST,
    keep: ({ sample: { env, index }, place: { block, line }, forfeit }) => {
      return { block, line, env, index, forfeit }
    },
  })

  /** Takes note of a sample of the epoch under way. */
  add(sample: Sample, place: SamplePlace & SampleLine): void {
    this.#stats.add(sample, place)
  }

  /** The account of the epoch under way, once it is recomputed. */
  finish(recomputed: Recomputed): EpochAccount {
    this.#stats.finish(recomputed)
    const stats = { champion: this.#stats.of('champion'), contender: this.#stats.of('contender') }
    const { state, flaws, warnings, votes } = recomputed
    const trust = Object.entries(state.trust).map(([hotkey, record]) => [hotkey, trustOf(record)])
    const found = { flaws, warnings, votes, trust: Object.fromEntries(trust) }
    return { ...epochFacts(recomputed), ...found, stats }
  }
}
