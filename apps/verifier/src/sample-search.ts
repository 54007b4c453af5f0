import type { Episode, Sample } from '@affine/blocks'
import type { Hash } from '@affine/prng'
import { printable } from './text.ts'

/** Where a sample stands. */
export interface Place {
  readonly validator: string
  readonly block: Hash
}

/** Which samples to show; what is not given does not restrict. `sample` is `env#index`, as in `mult8@0.1.0#3`. */
export interface SampleSearch {
  readonly validator?: string | undefined
  readonly block?: string | undefined
  readonly challenge?: string | undefined
  readonly sample?: string | undefined
}

/** Is the sample one that was asked for? */
export function matches(search: SampleSearch, sample: Sample, { validator, block }: Place): boolean {
  const here = { validator, block, challenge: sample.challengeId, sample: `${sample.env}#${sample.index}` }
  return Object.entries(here).every(([key, value]) => [undefined, value].includes(search[key as keyof SampleSearch]))
}

/** A sample as lines for people, every message in full. */
export function sampleText(sample: Sample, { validator, block }: Place): string {
  const episode = (role: string, { miner, messages, reward, fault }: Episode): string[] => [
    `  ${role} ${miner}: reward ${reward}${fault === undefined ? '' : `, forfeited: ${fault}`}`,
    ...messages.map(({ role, content }) => `    ${role === 'user' ? '>' : '<'} ${printable(content, 2000)}`),
  ]
  return [
    `${sample.env}#${sample.index}, challenge ${sample.challengeId}: ${sample.verdict} for the contender`,
    `  in block ${block} of ${validator}`,
    ...episode('champion', sample.champion),
    ...episode('contender', sample.contender),
  ].join('\n')
}
