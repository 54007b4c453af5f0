import type { Episode, SampleProof } from '@affine/blocks'

/** What one sample's proof is made of: from the buckets the proof, from the chain the rest. */
export interface ProofEvidence extends SampleProof {
  readonly genesis: string
  readonly netuid: number
  readonly validator: string
  readonly epoch: number
  /** The miners of the lane. */
  readonly champion: string
  readonly contenders: readonly string[]
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
  /** By name. */
  readonly values: Readonly<Record<string, string>>
  readonly holds: boolean
}

/** A step that says `otherwise` unless it holds. */
export const stepOf = ({ otherwise, ...step }: Step & { readonly otherwise: string }): Step =>
  step.holds ? step : { ...step, says: otherwise }

/** What the lines of evidence say, as far as they can be read: nothing of it is believed. */
export interface EvidenceRead {
  readonly env: string
  readonly index: number
  readonly id: string
  /** The miner's; or of a game the champion's, then the contender's. */
  readonly episodes: readonly Recorded[]
  /** Of the header. */
  readonly count: number
  readonly root: string
}

/** An episode of which nothing is known. */
type Recorded = Partial<Pick<Episode, 'messages' | 'reward' | 'fault' | 'miner'>>

/** Reads the sample and the header, which may be anything. Never throws. */
export function readEvidence({
  sample,
  header,
}: Pick<ProofEvidence, 'sample' | 'header'>): EvidenceRead {
  const said = objectIn(sample)
  const isGame = Object.hasOwn(said, 'champion')
  const { count, root } = objectIn(header)
  return {
    env: textOf(said.env),
    index: numberOf(said.index),
    id: textOf(said.challengeId),
    episodes: isGame ? [Object(said.champion), Object(said.contender)] : [said],
    count: numberOf(count),
    root: textOf(root),
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

const numberOf = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0)
