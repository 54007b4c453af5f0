import type { Sample } from '@affine/blocks'
import type { SamplePlace } from '@affine/settlement'

/** Where a sample is written. */
export interface SampleLine {
  readonly block: string
  /** From 0, of the block's samples. */
  readonly line: number
}

/** A sample that was met, and where. */
export interface Met extends SampleLine {
  readonly env: string
  readonly challengeId: string
  readonly championReward: number
}

/** The same in the lane of a validator. */
export interface LaneLine extends SampleLine {
  readonly validator: string
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

/**
 * Where the samples of whole lanes are, by the id of their challenge; and where blocks belong. A
 * challenge that several validators recorded has a line for each; of one validator the first stays.
 */
export class SampleIndex {
  /** Where the next sample is, if it is of the same block as the last. */
  #next: SampleLine = { block: '', line: 0 }
  /** By challenge, one of each validator. */
  readonly #lines = new Map<string, LaneLine[]>()
  readonly #blocks = new Map<string, BlockPlace>()
  readonly #recent = new Map<string, Met[]>()
  #size = 0

  /** Takes note of a whole lane's next sample, block after block: at which line it is. */
  add(sample: Sample, { validator, block }: SamplePlace, epoch: number): number {
    const line = this.#next.block === block ? this.#next.line : 0
    this.#next = { block, line: line + 1 }
    this.#blocks.set(block, { validator, epoch })
    const { env, challengeId, champion } = sample
    const lines = this.#lines.get(challengeId) ?? []
    if (lines.some((known) => known.validator === validator)) return line
    lines.push({ validator, block, line })
    this.#lines.set(challengeId, lines)
    this.#size += 1
    this.#forgetOldest()
    this.#addRecent({ env, challengeId, championReward: champion.reward, block, line })
    return line
  }

  /** Half of them at once: a map that lost many finds its first one slowly. */
  #forgetOldest(): void {
    if (this.#size <= MOST_SAMPLES) return
    for (const [challengeId, lines] of this.#lines) {
      if (this.#size <= MOST_SAMPLES / 2) return
      this.#lines.delete(challengeId)
      this.#size -= lines.length
    }
  }

  #addRecent(met: Met): void {
    const recent = this.#recent.get(met.env) ?? []
    this.#recent.set(met.env, recent)
    recent.push(met)
    if (recent.length > MOST_RECENT) recent.shift()
  }

  /** Where a challenge was recorded, in the order in which it was met. */
  linesOf(challengeId: string): readonly LaneLine[] {
    return this.#lines.get(challengeId) ?? []
  }

  placeOf(block: string): BlockPlace | undefined {
    return this.#blocks.get(block)
  }

  /** The samples of an environment that were met last, the latest first. */
  recent(env: string): readonly Met[] {
    return [...(this.#recent.get(env) ?? [])].reverse()
  }
}
