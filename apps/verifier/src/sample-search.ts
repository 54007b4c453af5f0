import type { Episode, Sample } from '@affine/blocks'
import type { Hash } from '@affine/prng'
import { printable } from './text.ts'

/** Which samples to show. Whatever is undefined does not restrict. */
export interface SampleSearch {
  readonly validator?: string | undefined
  readonly block?: string | undefined
  readonly challenge?: string | undefined
  /** `env#index`, as in `mult8@0.1.0#3`. */
  readonly sample?: string | undefined
}

/** Does the search name samples at all, and if so, is this one of them? */
export function finds(search: SampleSearch, sample: Sample, where: { validator: string; block: Hash }): boolean {
  const { validator, block, challenge, sample: place } = search
  if (block === undefined && challenge === undefined && place === undefined) return false
  return (
    (validator === undefined || where.validator === validator) &&
    (block === undefined || where.block === block) &&
    (challenge === undefined || sample.challengeId === challenge) &&
    (place === undefined || `${sample.env}#${sample.index}` === place)
  )
}

/** A sample as lines for people, every message in full. */
export function sampleText(sample: Sample, where: { validator: string; block: Hash }): readonly string[] {
  return [
    `${sample.env}#${sample.index}, challenge ${sample.challengeId}: ${sample.verdict} for the contender`,
    `  in block ${where.block} of ${where.validator}`,
    ...episodeText('champion', sample.champion),
    ...episodeText('contender', sample.contender),
  ]
}

function episodeText(role: string, { miner, messages, reward, fault }: Episode): readonly string[] {
  const end = fault === undefined ? '' : `, forfeited: ${fault}`
  return [
    `  ${role} ${miner}: reward ${reward}${end}`,
    ...messages.map((message) => `    ${message.role === 'user' ? '>' : '<'} ${printable(message.content, 2000)}`),
  ]
}
