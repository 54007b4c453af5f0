import type { SampleProof, Scope } from '@affine/blocks'

/** What one sample's proof is made of: from the buckets the proof, from the chain the rest. */
export interface ProofEvidence extends SampleProof, Scope {
  /** As the lane's last block reveals it. */
  readonly secret: string
  readonly beaconBlock: number
  /** The head that was on chain when lanes closed. */
  readonly sealed: string
}

/** One step of a proof: what is computed, from what, to what, and whether that is as it must be. */
export interface Step {
  readonly title: string
  /** What follows if it holds, or what is wrong. */
  readonly says: string
  /** By name. */
  readonly values: Readonly<Record<string, string>>
  readonly holds: boolean
}

/** A step, with what is wrong unless it holds. */
export type Sentences = Step & { readonly otherwise: string }

/** A step that says `otherwise` unless it holds. */
export const stepOf = ({ otherwise, ...step }: Sentences): Step =>
  step.holds ? step : { ...step, says: otherwise }
