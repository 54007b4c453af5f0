import type { Episode, Sample } from '@affine/blocks'
import type { SamplePlace } from '@affine/settlement'
import { printable } from '../text.ts'

/** A sample as lines for people, every message in full. */
export function sampleText(sample: Sample, { validator, block }: SamplePlace): string {
  const { env, index, challengeId, verdict } = sample
  return [
    `${env}#${index}, challenge ${challengeId}: ${verdict} for the contender`,
    `  in block ${block} of ${validator}`,
    ...episodeTexts('champion', sample.champion),
    ...episodeTexts('contender', sample.contender),
  ].join('\n')
}

function episodeTexts(side: string, episode: Episode): string[] {
  const { miner, messages, reward } = episode
  const said = messages.map((message) => `    ${messageText(message)}`)
  return [`  ${side} ${miner}: reward ${reward}${faultText(episode)}`, ...said]
}

/** What follows an episode's reward: its fault. One without any message was never begun. */
export function faultText({ messages, fault }: Episode): string {
  if (fault === undefined) return ''
  return messages.length === 0 ? ', never begun' : `, forfeited: ${fault}`
}

/** A message on one line, after a mark for its role. */
export function messageText({ role, content }: Episode['messages'][number]): string {
  const mark = role === 'user' ? '>' : '<'
  return `${mark} ${printable(content, 2000)}`
}
