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

/** Where the samples of whole lanes are, and where blocks belong. */
export class SampleIndex {
  /** How many challenges they are of: those of one follow each other. */
  challenges = 0
  #last = ''
  /** Where the next sample is, if it is of the same block as the last. */
  #next: SampleLine = { block: '', line: 0 }
  readonly #blocks = new Map<string, BlockPlace>()

  /** Takes note of a whole lane's next sample, block after block: at which line it is. */
  add({ challengeId }: Sample, { validator, block }: SamplePlace, epoch: number): number {
    const line = this.#next.block === block ? this.#next.line : 0
    this.#next = { block, line: line + 1 }
    this.#blocks.set(block, { validator, epoch })
    if (challengeId !== this.#last) this.challenges += 1
    this.#last = challengeId
    return line
  }

  placeOf(block: string): BlockPlace | undefined {
    return this.#blocks.get(block)
  }
}
