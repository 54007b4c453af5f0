import type { Sample } from '@affine/blocks'
import type { PerSide } from '@affine/envs'
import {
  type DuelFacts,
  DuelStats,
  type EnvAnalysis,
  type EpochFacts,
  epochFacts,
  LOSSES_SHOWN,
  type MinerStats,
} from '@affine/report'
import type { Recomputed, SamplePlace } from '@affine/settlement'
import { formatDuelId } from '../address.ts'

/** Where a sample is written. */
export interface SampleLine {
  readonly block: string
  /** From 0, of the block's samples. */
  readonly line: number
}

/** One epoch as the page holds it: plain values, without what it may ask for. */
export interface EpochAccount extends EpochFacts {
  readonly duels: readonly ShownDuel[]
}

/** A duel as it stands after an epoch. */
export interface ShownDuel extends DuelFacts {
  /** As `duelId` gives it. */
  readonly id: string
  /** What each side did so far, in the lanes that count. */
  readonly stats: PerSide<Omit<MinerStats<LostLine>, 'losses'>>
}

/** A challenge that was lost: where it is, and why, if it was forfeited. */
export interface LostLine extends SampleLine {
  readonly env: string
  readonly index: number
  readonly forfeit: string | undefined
}

/** What the lanes saw of an environment of a duel until the last look at it. */
export interface EnvLanes {
  readonly env: string
  /** The ratio to beat then, in ppm. */
  readonly ratio: number
  /** By validator ascending. */
  readonly lanes: readonly {
    readonly validator: string
    readonly wins: number
    readonly losses: number
    readonly isSetAside: boolean
  }[]
}

/**
 * Makes the accounts of one epoch after another. What is most of them, the lanes of each look and
 * the challenges that were lost, it keeps until it is asked for.
 */
export class EpochAccounts {
  /** How many challenges were added: the samples of one follow each other. */
  challenges = 0
  #last = { block: '', line: 0, challengeId: '' }
  readonly #stats = new DuelStats<LostLine, SamplePlace & SampleLine>({
    most: LOSSES_SHOWN,
    keep: ({ pair: { env, index }, place: { block, line }, forfeit }) => {
      return { block, line, env, index, forfeit }
    },
  })
  readonly #losses = new Map<ShownDuel['id'], PerSide<readonly LostLine[]>>()
  /** Of each duel the last look at each environment. */
  readonly #looks = new Map<ShownDuel['id'], readonly EnvAnalysis[]>()

  /** Takes note of a sample of the epoch under way: all of a block, in their order. */
  add(sample: Sample, place: SamplePlace): void {
    const { challengeId } = sample
    const { block } = place
    const line = block === this.#last.block ? this.#last.line + 1 : 0
    if (challengeId !== this.#last.challengeId) this.challenges += 1
    this.#last = { block, line, challengeId }
    this.#stats.add(sample, { ...place, line })
  }

  /** The account of the epoch under way, once it is recomputed. */
  finish(recomputed: Recomputed): EpochAccount {
    this.#stats.finish(recomputed)
    const facts = epochFacts(recomputed)
    return { ...facts, duels: facts.duels.map((duel) => this.#shown(duel)) }
  }

  #shown(duel: DuelFacts): ShownDuel {
    const id = formatDuelId(duel)
    const { hotkey } = duel.contender
    const { losses: champion, ...ofChampion } = this.#stats.statsFor('champion', hotkey)
    const { losses: contender, ...ofContender } = this.#stats.statsFor('contender', hotkey)
    this.#losses.set(id, { champion, contender })
    this.#looks.set(id, this.#stats.analysesFor(hotkey))
    return { ...duel, id, stats: { champion: ofChampion, contender: ofContender } }
  }

  /** The last challenges that each side of a duel lost, in the lanes that count. */
  findLosses(duel: ShownDuel['id']): PerSide<readonly LostLine[]> {
    return this.#losses.get(duel) ?? { champion: [], contender: [] }
  }

  /** The lanes of a duel, environment by environment; none where nobody looked. */
  findLanes(duel: ShownDuel['id']): readonly EnvLanes[] {
    return (this.#looks.get(duel) ?? []).map(({ env, ratioPpm: ratio, report }) => {
      const lanes = Object.entries(report.tallies).map(([validator, { wins, losses }]) => {
        return { validator, wins, losses, isSetAside: report.setAside.includes(validator) }
      })
      return { env, ratio, lanes }
    })
  }
}
