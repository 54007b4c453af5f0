import type { Sample } from '@affine/blocks'
import { type EnvReport, type Weights, weighToday } from '@affine/duel'
import type { SamplePlace, Settled } from '@affine/settlement'
import { doesCount } from './env-facts.ts'

/** What is kept of one validator's lane in one environment of one epoch. */
export interface KeptLane<Kept> {
  readonly epoch: number
  readonly validator: string
  readonly env: string
  readonly kept: Kept
}

/** The last look at an environment, as far as it says which lanes count. */
interface LastLook {
  readonly report: EnvReport
  readonly weights: Weights
}

/**
 * What is kept of the lanes of a duel, and which of it the rule counts: lanes accepted in an epoch
 * that was not frozen, of validators that the last look at the environment neither set aside nor
 * found without weight, even if an earlier look did. If all epochs of the duel were read, their
 * challenges are as many as in the tallies of that look. Protocol §8.4, §8.5.
 */
export class DuelLanes<Kept> {
  readonly #begin: () => Kept
  #duel = ''
  #accepted: KeptLane<Kept>[] = []
  readonly #looks = new Map<string, LastLook>()
  /** The lanes of the epoch under way, by validator and environment. */
  readonly #open = new Map<string, Omit<KeptLane<Kept>, 'epoch'>>()

  constructor(begin: () => Kept) {
    this.#begin = begin
  }

  /** What is kept of the lane that a sample of the epoch under way is in. */
  laneOf({ env }: Pick<Sample, 'env'>, { validator }: Pick<SamplePlace, 'validator'>): Kept {
    const name = `${validator} ${env}`
    const lane = this.#open.get(name) ?? { validator, env, kept: this.#begin() }
    this.#open.set(name, lane)
    return lane.kept
  }

  /** Ends the epoch under way; with the first epoch of another duel, forgets the one before. */
  finish({ before, report, snapshot }: Settled): void {
    const { epoch, duel } = before
    const open = [...this.#open.values()]
    this.#open.clear()
    if (duel === undefined) return
    if (duel.id !== this.#duel) {
      this.#accepted = []
      this.#looks.clear()
    }
    this.#duel = duel.id
    const weights = weighToday(duel, snapshot)
    for (const [env, look] of Object.entries(report.envs))
      this.#looks.set(env, { report: look, weights })
    if (report.frozen) return
    const accepted = open.filter(({ validator }) => report.lanes[validator]?.accepted)
    this.#accepted.push(...accepted.map((lane) => ({ epoch, ...lane })))
  }

  /** The lanes that count by the last looks, in all epochs of the duel that were read. */
  get counted(): readonly KeptLane<Kept>[] {
    return this.#accepted.filter(({ validator, env }) => {
      const look = this.#looks.get(env)
      return look !== undefined && doesCount(look, validator)
    })
  }
}
