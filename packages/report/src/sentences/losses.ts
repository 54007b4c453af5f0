import type { Sample } from '@affine/blocks'
import type { SamplePlace } from '@affine/settlement'
import type { EpisodeEnding } from '../ending.ts'
import type { Side } from '../sides.ts'
import { endingTexts } from './course.ts'
import { sampleText } from './sample.ts'

/** A challenge that a miner lost, its place in a block, and how it ended. */
export interface Loss extends SamplePlace {
  readonly epoch: number
  readonly role: Side
  readonly sample: Sample
  readonly ending: EpisodeEnding
}

/** A lost challenge as a text: the rewards, and how it ended. */
export function lossText({ epoch, role, sample, ending }: Loss): string {
  const { env, index, challengeId } = sample
  const rival = role === 'champion' ? 'contender' : 'champion'
  const rewards = `reward ${sample[role].reward}, the ${rival} ${sample[rival].reward}`
  const title = `${env}#${index} in epoch ${epoch}, challenge ${challengeId}: ${rewards}`
  return [title, ...endingLines(ending)].join('\n')
}

/** The same with the messages of both sides. */
export function fullLossText({ sample, ending, ...place }: Loss): string {
  return [sampleText(sample, place), ...endingLines(ending)].join('\n')
}

const endingLines = (ending: EpisodeEnding): readonly string[] =>
  endingTexts(ending).map((line) => `  ${line}`)
