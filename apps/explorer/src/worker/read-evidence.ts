import type { Episode } from '@affine/blocks'
import type { ProofEvidence } from './proof.ts'

/** What the lines of evidence say, as far as they can be read: nothing of it is believed. */
export interface EvidenceRead {
  readonly env: string
  readonly index: number
  readonly id: string
  readonly verdict: string
  readonly champion: Recorded
  readonly contender: Recorded
  /** Of the header. */
  readonly count: number
  readonly root: string
}

/** An episode of which nothing is known. */
export type Recorded = Partial<Pick<Episode, 'messages' | 'reward' | 'fault' | 'miner'>>

/** Reads the sample and the header, which may be anything. Never throws. */
export function readEvidence({
  sample,
  header,
}: Pick<ProofEvidence, 'sample' | 'header'>): EvidenceRead {
  const said = objectIn(sample)
  const { count, root } = objectIn(header)
  return {
    env: textOf(said.env),
    index: numberOf(said.index),
    id: textOf(said.challengeId),
    verdict: textOf(said.verdict),
    champion: Object(said.champion),
    contender: Object(said.contender),
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
