import { forfeitOf, type Sample } from '@affine/blocks'
import type { Report } from '@affine/duel'
import type { SamplePlace } from '@affine/settlement'
import { type Deeds, SIDES, type Side, sumDeeds } from '../deeds.ts'

/** Of one lane, and of one side in an epoch. */
const MOST_LOST = 20

const LOST_BY: Readonly<Record<Side, Sample['verdict']>> = { champion: 'win', contender: 'loss' }

/** What both sides do in the lanes of one epoch after another. */
export class EpochDeeds {
  /** By validator, and the environment behind it. */
  readonly #lanes = new Map<string, Readonly<Record<Side, Deeds>>>()

  /** Takes note of a sample in the lane of `validator`, at a line of a block. */
  add(sample: Sample, { validator, block, line }: SamplePlace & { readonly line: number }): void {
    const name = `${validator} ${sample.env}`
    const lane = this.#lanes.get(name) ?? { champion: sumDeeds([]), contender: sumDeeds([]) }
    this.#lanes.set(name, lane)
    for (const side of SIDES) {
      const forfeit = forfeitOf(sample, side)
      const deeds = lane[side]
      deeds.challenges += 1
      if (forfeit !== undefined) deeds.forfeits[forfeit] = (deeds.forfeits[forfeit] ?? 0) + 1
      if (sample.verdict === 'tie') continue
      if (sample.verdict !== LOST_BY[side]) {
        deeds.won += 1
        continue
      }
      deeds.lost += 1
      const { env, index } = sample
      deeds.losses.push({ block, line, env, index, forfeit })
      if (deeds.losses.length > MOST_LOST) deeds.losses.shift()
    }
  }

  /** What they did where lanes count by the epoch's report. Begins anew. */
  finish({ frozen, lanes }: Report): Readonly<Record<Side, Deeds>> {
    // In an order of their own: lanes that are read side by side end as they like.
    const lanesInOrder = [...this.#lanes].sort(([a], [b]) => (a < b ? -1 : 1))
    const counting = lanesInOrder
      .filter(([name]) => {
        const [validator = '', env = ''] = name.split(' ')
        const { accepted = false, setAside = [] } = lanes[validator] ?? {}
        return !frozen && accepted && !setAside.includes(env)
      })
      .map(([, lane]) => lane)
    this.#lanes.clear()
    const of = (side: Side): Deeds => {
      const deeds = sumDeeds(counting.map((lane) => lane[side]))
      return { ...deeds, losses: deeds.losses.slice(-MOST_LOST) }
    }
    return { champion: of('champion'), contender: of('contender') }
  }
}
