import type { SampleProof } from '@affine/blocks'

/** What one sample's proof is made of: from the buckets the proof, from the chain the rest. */
export interface ProofEvidence extends SampleProof {
  readonly genesis: string
  readonly netuid: number
  readonly validator: string
  readonly epoch: number
  readonly duel: string
  readonly champion: string
  readonly contender: string
  readonly specHash: string
  /** As the lane's last block reveals it. */
  readonly secret: string
  /** What was on chain before the epoch. */
  readonly commitment: string
  /** Hash of the epoch's first block. */
  readonly beacon: string
  readonly beaconBlock: number
  /** The head that was on chain when lanes closed. */
  readonly sealed: string
  readonly sealBlock: number
}

/** One step of a proof: what is computed, from what, to what, and whether that is as it must be. */
export interface Step {
  readonly title: string
  /** What follows if it holds, or what is wrong. */
  readonly says: string
  readonly values: readonly (readonly [name: string, value: string])[]
  readonly holds: boolean
}
