import { forfeitOf, type Sample } from '@affine/blocks'
import type { Report } from '@affine/duel'
import type { SamplePlace } from '@affine/settlement'

/** The two sides of a duel. */
const SIDES = ['champion', 'contender'] as const

export type Side = (typeof SIDES)[number]

/** Of one lane, and of one side in an epoch. */
const MOST_LOST = 20

/** A challenge that was lost: where it is, and why, if it was forfeited. */
export interface Lost {
  readonly block: string
  readonly line: number
  readonly env: string
  readonly index: number
  readonly forfeit: string | undefined
}

/** What one side of a duel did in the lanes that count. */
export interface Deeds {
  challenges: number
  won: number
  lost: number
  /** How often it forfeited, by the way. */
  readonly forfeits: Record<string, number>
  /** The last that it lost. */
  readonly losses: Lost[]
}

const LOST_BY: Readonly<Record<Side, Sample['verdict']>> = { champion: 'win', contender: 'loss' }

const newDeeds = (): Deeds => ({ challenges: 0, won: 0, lost: 0, forfeits: {}, losses: [] })

/** What both sides do in the lanes of one epoch after another. */
export class EpochDeeds {
  /** By validator, and the environment behind it. */
  readonly #lanes = new Map<string, Readonly<Record<Side, Deeds>>>()

  /** Takes note of a sample in the lane of `validator`, at a line of a block. */
  add(sample: Sample, { validator, block, line }: SamplePlace & { readonly line: number }): void {
    const name = `${validator} ${sample.env}`
    const lane = this.#lanes.get(name) ?? { champion: newDeeds(), contender: newDeeds() }
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
    const all = { champion: newDeeds(), contender: newDeeds() }
    // In an order of their own: lanes that are read side by side end as they like.
    const lanesInOrder = [...this.#lanes].sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [name, lane] of lanesInOrder) {
      const [validator = '', env = ''] = name.split(' ')
      const { accepted = false, setAside = [] } = lanes[validator] ?? {}
      if (frozen || !accepted || setAside.includes(env)) continue
      for (const side of SIDES) addDeeds(all[side], lane[side])
    }
    this.#lanes.clear()
    return all
  }
}

function addDeeds(all: Deeds, { challenges, won, lost, forfeits, losses }: Deeds): void {
  all.challenges += challenges
  all.won += won
  all.lost += lost
  for (const [way, count] of Object.entries(forfeits))
    all.forfeits[way] = (all.forfeits[way] ?? 0) + count
  all.losses.push(...losses)
  all.losses.splice(0, Math.max(0, all.losses.length - MOST_LOST))
}
