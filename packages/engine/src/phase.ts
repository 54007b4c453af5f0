import type { Protocol } from '@affine/duel'
import type { BucketReader } from '@affine/settlement'

/** How many blocks before a deadline a validator stops waiting for others and does its own part. */
const margin = (blocks: number): number => Math.max(2, Math.floor(blocks / 10))

/** For so many blocks of an epoch a validator samples. Protocol §5.4. */
export const samplingBlocks = ({ sealBlock }: Protocol): number => sealBlock - margin(sealBlock)

/** One epoch's deadlines, and the buckets read in it. */
export class Phase {
  readonly epoch: number
  readonly reader: BucketReader
  readonly #sampling = new AbortController()
  readonly #audit = new AbortController()
  readonly #all = new AbortController()

  constructor(epoch: number, reader: BucketReader) {
    this.epoch = epoch
    this.reader = reader
  }

  /** Aborts when sampling ends: from then on a missing reply is the miner's fault. */
  get sampling(): AbortSignal {
    return this.#sampling.signal
  }

  /** Aborts when the attestation must be sent, even if lanes are missing. */
  get audit(): AbortSignal {
    return this.#audit.signal
  }

  /** Aborts when another epoch has begun. */
  get all(): AbortSignal {
    return this.#all.signal
  }

  /** Aborts the parts of the epoch that end before this block of it. Protocol §5.4. */
  advance(offset: number, protocol: Protocol): void {
    const { sealBlock, epochBlocks } = protocol
    if (offset >= samplingBlocks(protocol)) this.#sampling.abort()
    if (offset >= epochBlocks - margin(epochBlocks - sealBlock)) this.#audit.abort()
  }

  /**
   * Ends only the sampling. If the reason is `Stopped`, no miner is blamed for a missing reply.
   */
  stopSampling(reason?: Error): void {
    this.#sampling.abort(reason)
  }

  /** Ends all of it: another epoch has begun. */
  end(): void {
    for (const part of [this.#sampling, this.#audit, this.#all]) part.abort()
  }
}
