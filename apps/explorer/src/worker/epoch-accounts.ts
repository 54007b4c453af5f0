import type { PerSide } from '@affine/envs'
import {
  type DuelFacts,
  DuelStats,
  describeEpoch,
  type EnvAnalysis,
  type EpochFacts,
  type MinerStats,
} from '@affine/report'
import type { RecomputedEpoch, SamplePlace } from '@affine/settlement'
import { formatDuelId } from '../address.ts'

export type SampleLine = Pick<SamplePlace, 'block' | 'line'>

/** An epoch as the page stores it, without the `DuelDetails`. */
export interface EpochAccount extends EpochFacts {
  readonly duels: readonly ShownDuel[]
}

export interface ShownDuel extends DuelFacts {
  /** Key of the duel, from `formatDuelId`. */
  readonly id: string
  /** Statistics of each side so far, in the lanes that count. */
  readonly stats: PerSide<Omit<MinerStats<LostLine>, 'losses'>>
}

/** A lost challenge. */
export interface LostLine extends SampleLine {
  readonly env: string
  readonly index: number
}

/** The latest challenges that each side of a duel lost, in the lanes that count. */
export interface DuelDetails extends PerSide<readonly LostLine[]> {
  /** The latest analysis of each environment, with the results of every lane. */
  readonly analyses: readonly EnvAnalysis[]
}

/**
 * Creates the accounts of consecutive epochs. The largest parts, tallies by lane and lost
 * challenges, stay in the worker; the page asks for them when it shows a duel.
 */
export class EpochAccounts {
  /** Receives the samples of the current epoch, one lane after the other, each in order. */
  readonly stats: DuelStats<LostLine> = new DuelStats<LostLine>({
    most: 2,
    keep: ({ pair: { env, index }, block, line }) => ({ block, line, env, index }),
  })
  readonly #details = new Map<ShownDuel['id'], DuelDetails>()

  /** Ends the current epoch and returns its account. */
  finish(recomputed: RecomputedEpoch): EpochAccount {
    this.stats.finish(recomputed)
    const facts = describeEpoch(recomputed)
    return { ...facts, duels: facts.duels.map((duel) => this.#shown(duel)) }
  }

  #shown(duel: DuelFacts): ShownDuel {
    const id = formatDuelId(duel)
    const { hotkey } = duel.contender
    const { losses: champion, ...ofChampion } = this.stats.statsFor('champion', hotkey)
    const { losses: contender, ...ofContender } = this.stats.statsFor('contender', hotkey)
    this.#details.set(id, { champion, contender, analyses: this.stats.analysesFor(hotkey) })
    return { ...duel, id, stats: { champion: ofChampion, contender: ofContender } }
  }

  /** Returns the details of a duel; empty if the duel is unknown. */
  findDetails(duel: ShownDuel['id']): DuelDetails {
    return this.#details.get(duel) ?? { champion: [], contender: [], analyses: [] }
  }
}
