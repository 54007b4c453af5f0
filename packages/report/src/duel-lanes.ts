import { type ChallengePair, createPairing, type Sample } from '@affine/blocks'
import type { EpochResult, SamplePlace } from '@affine/settlement'
import { type EnvAnalysis, isCounted } from './env-facts.ts'

/** Data about a validator's lane in one environment and epoch of a duel. */
export interface LaneData<Data> {
  readonly epoch: number
  readonly validator: string
  readonly env: string
  readonly data: Data
}

interface OpenDuel<Data> {
  readonly start: number
  readonly accepted: LaneData<Data>[]
  readonly analyses: Map<string, EnvAnalysis>
}

/**
 * Data about the lanes of duels, and which lanes count. A lane counts if it was accepted in an
 * epoch that was not frozen, unless the latest analysis of the environment set its validator aside
 * or gave it no weight. If all epochs of a duel were read, the lanes that count have as many
 * challenges as the tallies of the latest analysis. Protocol §8.4, §8.5.
 */
export abstract class DuelLanes<Data> {
  readonly #pairOf = createPairing()
  /** Duels of the previous epoch, by contender. */
  #duels = new Map<string, OpenDuel<Data>>()
  /** Lanes of the current epoch, by contender, validator and environment. */
  readonly #open = new Map<string, Omit<LaneData<Data>, 'epoch'> & { contender: string }>()

  /** Returns the data of a lane without challenges. */
  protected abstract begin(): Data

  /** Adds a challenge to the data of its lane. */
  protected abstract count(data: Data, pair: ChallengePair, place: SamplePlace): void

  /**
   * Adds a sample of the current epoch. All samples of one validator must be added in the order of
   * its blocks, before those of the next validator.
   */
  add(sample: Sample, place: SamplePlace): void {
    const pair = this.#pairOf(sample)
    if (pair === undefined) return
    const { validator } = place
    const { env } = pair
    const contender = pair.contender.miner
    const name = `${contender} ${validator} ${env}`
    const lane = this.#open.get(name) ?? { contender, validator, env, data: this.begin() }
    this.#open.set(name, lane)
    this.count(lane.data, pair, place)
  }

  /** Ends the current epoch. Discards duels that ended before it. */
  finish({ before, report }: EpochResult): void {
    const { epoch, voters: weights, ratio: ratioPpm } = before
    const open = [...this.#open.values()]
    this.#open.clear()
    const duels = report.duels.map(({ contender, start, envs }) => {
      const known = this.#duels.get(contender.hotkey)
      const none = { start, accepted: [], analyses: new Map<string, EnvAnalysis>() }
      const duel = known?.start === start ? known : none
      for (const [env, envReport] of Object.entries(envs))
        duel.analyses.set(env, { env, report: envReport, weights, ratioPpm })
      return [contender.hotkey, duel] as const
    })
    this.#duels = new Map(duels)
    if (report.frozen) return
    for (const { contender, ...lane } of open)
      if (report.lanes[lane.validator]?.accepted)
        this.#duels.get(contender)?.accepted.push({ epoch, ...lane })
  }

  /** Returns the latest analysis of each environment of a contender's duel. */
  analysesFor(contender: string): readonly EnvAnalysis[] {
    return [...(this.#duels.get(contender)?.analyses.values() ?? [])]
  }

  /** Returns the lanes that count in a contender's duel, in the epochs that were read. */
  countedLanes(contender: string): readonly LaneData<Data>[] {
    const duel = this.#duels.get(contender)
    return (duel?.accepted ?? []).filter(({ validator, env }) => {
      const analysis = duel?.analyses.get(env)
      return analysis !== undefined && isCounted(analysis, validator)
    })
  }
}
