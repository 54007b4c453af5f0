import { forfeitOf, type Sample } from '@affine/blocks'
import type { Recomputed, SamplePlace } from '@affine/settlement'

/** The two sides of a duel. */
export const ROLES = ['champion', 'contender'] as const

export type Role = (typeof ROLES)[number]

/** What a sample's verdict is when that side lost it: the verdict is for the contender. */
const LOST_BY = { champion: 'win', contender: 'loss' }

/** A challenge that the miner lost, and where it is written. */
export interface Lost extends SamplePlace {
  readonly sample: Sample
}

/** What a miner did in one environment of one lane, in an epoch. */
export interface Deeds {
  readonly validator: string
  readonly env: string
  /** How many challenges it was in. */
  challenges: number
  /** How often it forfeited, by the way. */
  readonly forfeits: Record<string, number>
  /** The last that it lost, in their order. */
  readonly lost: Lost[]
}

/** What one miner did in the lanes of one epoch after another. */
export class MinerLanes {
  readonly #hotkey: string
  readonly #most: number
  readonly #deeds = new Map<string, Deeds>()

  /** Keeps at most so many lost challenges of an environment in a lane. */
  constructor(hotkey: string, most: number) {
    this.#hotkey = hotkey
    this.#most = most
  }

  /** Takes note of a sample, whoever is in it. */
  add(sample: Sample, place: SamplePlace): void {
    const role = ROLES.find((side) => sample[side].miner === this.#hotkey)
    if (role === undefined) return
    const { validator } = place
    const { env } = sample
    const name = `${validator} ${env}`
    const deeds = this.#deeds.get(name) ?? { validator, env, challenges: 0, forfeits: {}, lost: [] }
    this.#deeds.set(name, deeds)
    deeds.challenges += 1
    const forfeit = forfeitOf(sample, role)
    if (forfeit !== undefined) deeds.forfeits[forfeit] = (deeds.forfeits[forfeit] ?? 0) + 1
    if (sample.verdict === LOST_BY[role]) deeds.lost.push({ ...place, sample })
    if (deeds.lost.length > this.#most) deeds.lost.shift()
  }

  /** What it did in the lanes that were accepted in an epoch. Begins anew with the next. */
  finish({ report: { frozen, lanes } }: Recomputed): readonly Deeds[] {
    const all = [...this.#deeds.values()]
    this.#deeds.clear()
    return all.filter(({ validator }) => !frozen && lanes[validator]?.accepted)
  }
}
