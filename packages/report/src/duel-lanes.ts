import type { ChallengePair } from '@affine/blocks'
import type { SamplePlace, Settled } from '@affine/settlement'
import { type EnvAnalysis, isCounted } from './env-facts.ts'

/** What is kept of one validator's lane in one environment of one epoch of a duel. */
export interface LaneData<Data> {
  readonly epoch: number
  readonly validator: string
  readonly env: string
  readonly data: Data
}

/** The lanes of a duel that were accepted, and the last look at each environment. */
interface OpenDuel<Kept> {
  readonly start: number
  readonly accepted: LaneData<Kept>[]
  readonly looks: Map<string, EnvAnalysis>
}

/**
 * What is kept of the lanes of duels, and which of it the rule counts: lanes accepted in an epoch
 * that was not frozen, of validators that the last look at the environment neither set aside nor
 * found without weight, even if an earlier look did. If all epochs of a duel were read, their
 * challenges are as many as in the tallies of that look. Protocol §8.4, §8.5.
 */
export class DuelLanes<Kept> {
  readonly #begin: () => Kept
  /** By contender, the duels of the last epoch. */
  #duels = new Map<string, OpenDuel<Kept>>()
  /** The lanes of the epoch under way, by contender, validator and environment. */
  readonly #open = new Map<string, Omit<LaneData<Kept>, 'epoch'> & { contender: string }>()

  constructor(begin: () => Kept) {
    this.#begin = begin
  }

  /** What is kept of the lane that a challenge of the epoch under way is in. */
  openLane(
    { env, contender: { miner } }: Pick<ChallengePair, 'env' | 'contender'>,
    { validator }: Pick<SamplePlace, 'validator'>,
  ): Kept {
    const name = `${miner} ${validator} ${env}`
    const lane = this.#open.get(name) ?? { contender: miner, validator, env, data: this.#begin() }
    this.#open.set(name, lane)
    return lane.data
  }

  /** Ends the epoch under way; forgets duels that ended before it. */
  finish({ before, report }: Settled): void {
    const { epoch, voters: weights, ratio: ratioPpm } = before
    const open = [...this.#open.values()]
    this.#open.clear()
    const duels = report.duels.map(({ contender, start, envs }) => {
      const known = this.#duels.get(contender.hotkey)
      const none = { start, accepted: [], looks: new Map<string, EnvAnalysis>() }
      const duel = known?.start === start ? known : none
      for (const [env, look] of Object.entries(envs))
        duel.looks.set(env, { env, report: look, weights, ratioPpm })
      return [contender.hotkey, duel] as const
    })
    this.#duels = new Map(duels)
    if (report.frozen) return
    for (const { contender, ...lane } of open)
      if (report.lanes[lane.validator]?.accepted)
        this.#duels.get(contender)?.accepted.push({ epoch, ...lane })
  }

  /** The last look at each environment of a contender's duel. */
  analysesFor(contender: string): readonly EnvAnalysis[] {
    return [...(this.#duels.get(contender)?.looks.values() ?? [])]
  }

  /** The lanes of a contender's duel that count by the last looks, in the epochs that were read. */
  countedLanes(contender: string): readonly LaneData<Kept>[] {
    const duel = this.#duels.get(contender)
    return (duel?.accepted ?? []).filter(({ validator, env }) => {
      const look = duel?.looks.get(env)
      return look !== undefined && isCounted(look, validator)
    })
  }
}
