import type { Sample } from '@affine/blocks'
import type { SamplePlace } from '@affine/settlement'

/** Where a sample is written. */
export interface Line {
  readonly block: string
  /** From 0, of the block's samples. */
  readonly line: number
}

/** A sample that was met, and where. */
export interface Met extends Line {
  readonly env: string
  readonly challengeId: string
  readonly championReward: number
}

/** Whose block, and of which epoch. */
export interface BlockPlace {
  readonly validator: string
  readonly epoch: number
}

/** 64 lanes fill this within a duel; older samples are then found by their place alone. */
const MOST_SAMPLES = 200_000
/** To play against. */
const MOST_RECENT = 64

/** Where the samples are that were read, by the id of their challenge; and where blocks belong. */
export class SampleIndex {
  readonly #lines = new Map<string, Line>()
  readonly #blocks = new Map<string, BlockPlace & { samples: number }>()
  readonly #recent = new Map<string, Met[]>()

  /** Takes note of the next sample of a block, in its order, and says at which line it is. */
  add(sample: Sample, { validator, block }: SamplePlace, epoch: number): number {
    const place = this.#blocks.get(block) ?? { validator, epoch, samples: 0 }
    this.#blocks.set(block, place)
    const line = place.samples
    place.samples += 1
    const { env, challengeId, champion } = sample
    this.#lines.set(challengeId, { block, line })
    const [oldest] = this.#lines.keys()
    if (this.#lines.size > MOST_SAMPLES && oldest !== undefined) this.#lines.delete(oldest)
    const recent = this.#recent.get(env) ?? []
    this.#recent.set(env, recent)
    recent.push({ env, challengeId, championReward: champion.reward, block, line })
    if (recent.length > MOST_RECENT) recent.shift()
    return line
  }

  /** Where the sample of a challenge is, if it was met. */
  lineOf(challengeId: string): Line | undefined {
    return this.#lines.get(challengeId)
  }

  placeOf(block: string): BlockPlace | undefined {
    return this.#blocks.get(block)
  }

  /** The samples of an environment that were met last, the latest first. */
  recent(env: string): readonly Met[] {
    return [...(this.#recent.get(env) ?? [])].reverse()
  }
}
