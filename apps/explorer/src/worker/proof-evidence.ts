import type { Episode, SampleProof, Scope } from '@affine/blocks'

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

/** What the lines of evidence say, as far as they can be read: nothing of it is believed. */
export interface EvidenceRead {
  readonly env: string
  readonly index: number
  readonly id: string
  /** The miner's; or of a game the champion's, then the contender's. */
  readonly episodes: readonly Recorded[]
}

/** An episode of which nothing is known. */
type Recorded = Partial<Pick<Episode, 'messages' | 'reward' | 'fault' | 'miner'>>

/** Reads the sample, which may be anything. Never throws. */
export function readEvidence({ sample }: Pick<ProofEvidence, 'sample'>): EvidenceRead {
  const said = objectIn(sample)
  const isGame = Object.hasOwn(said, 'champion')
  return {
    env: textOf(said.env),
    index: Number.isSafeInteger(said.index) ? Number(said.index) : 0,
    id: textOf(said.challengeId),
    episodes: isGame ? [Object(said.champion), Object(said.contender)] : [said],
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
