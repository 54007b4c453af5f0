import type { Protocol } from '@affine/duel'
import type { OpenBucket } from '@affine/settlement'
import { Peers } from './peers.ts'

/** How many blocks before a deadline a validator stops waiting for others and does its own part. */
const margin = (blocks: number): number => Math.max(2, Math.floor(blocks / 10))

/** One epoch's deadlines, and the buckets read in it. */
export class Phase {
  readonly epoch: number
  readonly peers: Peers
  readonly #sampling = new AbortController()
  readonly #audit = new AbortController()

  constructor(epoch: number, openBucket: OpenBucket) {
    this.epoch = epoch
    this.peers = new Peers(openBucket, this.#audit.signal)
  }

  /** Aborts when what has no reply yet is a fault. */
  get sampling(): AbortSignal {
    return this.#sampling.signal
  }

  /** Aborts when the attestation is due, whatever is missing. */
  get audit(): AbortSignal {
    return this.#audit.signal
  }

  /** Ends what has no more time at a block of the epoch. Protocol §5.4. */
  advance(offset: number, { sealBlock, epochBlocks }: Protocol): void {
    if (offset >= sealBlock - margin(sealBlock)) this.#sampling.abort()
    if (offset >= epochBlocks - margin(epochBlocks - sealBlock)) this.#audit.abort()
  }

  /**
   * Ends the sampling alone: what has no reply yet is nobody's fault if the reason is `Stopped`.
   */
  stopSampling(reason?: Error): void {
    this.#sampling.abort(reason)
  }

  /** Ends all of it: another epoch has begun. */
  end(): void {
    this.#sampling.abort()
    this.#audit.abort()
  }
}
