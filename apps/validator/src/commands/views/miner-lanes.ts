import { forfeitOf, type Sample } from '@affine/blocks'
import type { Report } from '@affine/duel'
import type { SamplePlace } from '@affine/settlement'

/** The two sides of a duel. */
export const ROLES = ['champion', 'contender'] as const

/** What a sample's verdict is when that side lost it: the verdict is for the contender. */
const LOST_BY = { champion: 'win', contender: 'loss' }

/** A challenge that the miner lost, and where it is written. */
interface Lost extends SamplePlace {
  readonly sample: Sample
}

/** What a miner did in one lane, or in several. */
export interface Deeds {
  /** How many challenges it was in. */
  challenges: number
  /** How it forfeited some of them, in their order. */
  readonly forfeits: string[]
  /** The last that it lost, in their order. */
  readonly lost: Lost[]
}

/** What one miner did in each lane of an epoch. */
export class MinerLanes {
  readonly #hotkey: string
  readonly #most: number
  readonly #lanes = new Map<string, Deeds>()

  /** Keeps at most so many lost challenges of a lane. */
  constructor(hotkey: string, most: number) {
    this.#hotkey = hotkey
    this.#most = most
  }

  /** Takes note of a sample, whoever is in it. */
  add(sample: Sample, place: SamplePlace): void {
    const role = ROLES.find((side) => sample[side].miner === this.#hotkey)
    if (role === undefined) return
    const { validator } = place
    const lane = this.#lanes.get(validator) ?? { challenges: 0, forfeits: [], lost: [] }
    this.#lanes.set(validator, lane)
    lane.challenges += 1
    const forfeit = forfeitOf(sample, role)
    if (forfeit !== undefined) lane.forfeits.push(forfeit)
    if (sample.verdict === LOST_BY[role]) lane.lost.push({ ...place, sample })
    if (lane.lost.length > this.#most) lane.lost.shift()
  }

  /** What it did in all lanes that count by the epoch's report. Begins anew with the next epoch. */
  finish(report: Report): Deeds {
    const all: Deeds = { challenges: 0, forfeits: [], lost: [] }
    for (const [validator, { challenges, forfeits, lost }] of this.#lanes) {
      if (!doesCount(validator, report)) continue
      all.challenges += challenges
      all.forfeits.push(...forfeits)
      all.lost.push(...lost)
    }
    this.#lanes.clear()
    return all
  }
}

/** Does the lane of a validator count in every environment? */
export function doesCount(validator: string, { frozen, lanes }: Report): boolean {
  const lane = lanes[validator]
  return !frozen && lane !== undefined && lane.accepted && lane.setAside.length === 0
}
