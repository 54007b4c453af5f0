import type { Sample } from '@affine/blocks'
import type { PerSide } from '@affine/envs'
import {
  type DuelFacts,
  DuelStats,
  type EnvLaneFacts,
  type EpochFacts,
  envLaneFacts,
  epochFacts,
  type MinerStats,
} from '@affine/report'
import type { Recomputed, SamplePlace } from '@affine/settlement'
import { duelId } from '../address.ts'
import type { SampleLine } from './sample-index.ts'

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

/** A look at an environment of a duel, in one of its epochs. */
export interface LookPlace {
  readonly epoch: number
  readonly duel: ShownDuel['id']
  readonly env: string
}

/** Of each environment, of each side of a duel. */
const MOST_LOST = 20

/**
 * Makes the accounts of one epoch after another. What is most of them, the lanes of each look and
 * the challenges that were lost, it keeps until it is asked for.
 */
export class EpochAccounts {
  readonly #stats = new DuelStats<LostLine, SamplePlace & SampleLine>({
    most: MOST_LOST,
    keep: ({ pair: { env, index }, place: { block, line }, forfeit }) => {
      return { block, line, env, index, forfeit }
    },
  })
  readonly #losses = new Map<ShownDuel['id'], PerSide<readonly LostLine[]>>()
  readonly #decided = new Map<number, Pick<Recomputed, 'before' | 'report'>>()

  /** Takes note of a sample of the epoch under way. */
  add(sample: Sample, place: SamplePlace & SampleLine): void {
    this.#stats.add(sample, place)
  }

  /** The account of the epoch under way, once it is recomputed. */
  finish(recomputed: Recomputed): EpochAccount {
    const { before, report } = recomputed
    this.#decided.set(before.epoch, { before, report })
    this.#stats.finish(recomputed)
    const facts = epochFacts(recomputed)
    return { ...facts, duels: facts.duels.map((duel) => this.#shown(duel)) }
  }

  #shown(duel: DuelFacts): ShownDuel {
    const id = duelId(duel)
    const { hotkey } = duel.contender
    const { losses: champion, ...ofChampion } = this.#stats.of('champion', hotkey)
    const { losses: contender, ...ofContender } = this.#stats.of('contender', hotkey)
    this.#losses.set(id, { champion, contender })
    return { ...duel, id, stats: { champion: ofChampion, contender: ofContender } }
  }

  /** The last challenges that each side of a duel lost, in the lanes that count. */
  lossesOf(duel: ShownDuel['id']): PerSide<readonly LostLine[]> {
    return this.#losses.get(duel) ?? { champion: [], contender: [] }
  }

  /** The lanes of a look, over the duel until then; none where nobody looked. */
  lanesAt({ epoch, duel, env }: LookPlace): readonly EnvLaneFacts[] {
    const { before, report } = this.#decided.get(epoch) ?? {}
    const look = report?.duels.find((each) => duelId(each) === duel)?.envs[env]
    if (before === undefined || look === undefined) return []
    return envLaneFacts({ report: look, weights: before.voters, ratioPpm: before.ratio })
  }
}
