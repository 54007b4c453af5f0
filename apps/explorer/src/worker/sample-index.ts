import type { Sample } from '@affine/blocks'
import type { SamplePlace } from '@affine/settlement'

/** Where a sample is written. */
export interface SampleLine {
  readonly block: string
  /** From 0, of the block's samples. */
  readonly line: number
}

/** Whose block, and of which epoch. */
export interface BlockPlace {
  readonly validator: string
  readonly epoch: number
}

/**
 * 64 lanes of eight duels fill this within three epochs; older samples are then found by their
 * place alone.
 */
const MOST_SAMPLES = 200_000

/**
 * Where the samples of whole lanes are, by the id of their challenge; and where blocks belong. A
 * challenge of one player has a line for each miner, the champion's first.
 */
export class SampleIndex {
  /** Where the next sample is, if it is of the same block as the last. */
  #next: SampleLine = { block: '', line: 0 }
  /** By challenge, in the order of the lane. */
  readonly #lines = new Map<string, SampleLine[]>()
  readonly #blocks = new Map<string, BlockPlace>()
  #size = 0

  /** Takes note of a whole lane's next sample, block after block: at which line it is. */
  add(sample: Sample, { validator, block }: SamplePlace, epoch: number): number {
    const line = this.#next.block === block ? this.#next.line : 0
    this.#next = { block, line: line + 1 }
    this.#blocks.set(block, { validator, epoch })
    const { challengeId } = sample
    const lines = this.#lines.get(challengeId) ?? []
    lines.push({ block, line })
    this.#lines.set(challengeId, lines)
    this.#size += 1
    this.#forgetOldest()
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

  /** Where a challenge was recorded, in the order of its lane. */
  linesOf(challengeId: string): readonly SampleLine[] {
    return this.#lines.get(challengeId) ?? []
  }

  placeOf(block: string): BlockPlace | undefined {
    return this.#blocks.get(block)
  }
}
