import type { ChallengePair, Episode, Sample } from '@affine/blocks'
import type { Side } from '@affine/envs'
import type { SamplePlace } from '@affine/settlement'
import type { UncountedReason } from '../sample-use.ts'
import { printable } from '../text.ts'
import type { EpisodeEnding, Turn } from '../turn.ts'

/** A sample, or a pair of two, as lines for people, every message in full. */
export function sampleText(sample: Sample, { validator, block }: SamplePlace): string {
  const { env, index, challengeId } = sample
  const title = `${env}#${index}, challenge ${challengeId}`
  const place = `  in block ${block} of ${validator}`
  if ('miner' in sample) return [title, place, ...formatEpisode(sample.miner, sample)].join('\n')
  const { champion, contender } = sample
  const rewards = `champion ${champion.reward}, contender ${contender.reward}`
  const episodes = Object.entries({ champion, contender }).flatMap(([side, episode]) =>
    formatEpisode(`${side} ${episode.miner}`, episode),
  )
  return [`${title}: ${rewards}`, place, ...episodes].join('\n')
}

function formatEpisode(player: string, episode: Episode): string[] {
  const { messages, reward } = episode
  const said = messages.map((message) => `    ${messageText(message)}`)
  return [`  ${player}: reward ${reward}${formatFault(episode)}`, ...said]
}

const UNCOUNTED = {
  FROZEN: 'its epoch was frozen',
  NOT_ACCEPTED: 'its lane was not accepted',
  SET_ASIDE: 'its lane is suspect: too far from the others',
  NO_WEIGHT: 'its validator has no weight',
} as const

/** A line that says why a sample does not count; empty if it does. */
export const uncountedText = (cause: UncountedReason | undefined): string =>
  cause === undefined ? '' : `\n  does not count: ${UNCOUNTED[cause]}`

/** What follows an episode's reward: its fault. One without any message was never begun. */
export function formatFault({ messages, fault }: Episode): string {
  if (fault === undefined) return ''
  return messages.length === 0 ? ', never begun' : `, forfeited: ${fault}`
}

/** A message on one line, after a mark for its role. */
export function messageText({ role, content }: Episode['messages'][number]): string {
  const mark = role === 'user' ? '>' : '<'
  return `${mark} ${printable(content, 2000)}`
}

/** An ending as lines for people. */
export function endingTexts({ why, shown, better }: EpisodeEnding): readonly string[] {
  const lines = [why, ...shown.map((line) => `  ${line}`)]
  if (better !== undefined) lines.push(better)
  return lines
}

/** What a reply within an episode gave away; empty if nothing is known about it. */
export function formatMistake({ reply, forfeit, mistake }: Turn, index: number): string {
  if (reply === undefined || forfeit !== undefined || mistake === undefined) return ''
  return `reply ${index + 1}, ${mistake}`
}

/** A challenge that a miner lost, the contender's place in a block, and how it ended. */
export interface Loss extends SamplePlace {
  readonly epoch: number
  readonly role: Side
  readonly pair: ChallengePair
  readonly ending: EpisodeEnding
}

/** A lost challenge as a text: the rewards, and how it ended. */
export function formatLoss({ epoch, role, pair, ending }: Loss): string {
  const { env, index, challengeId } = pair
  const rival = role === 'champion' ? 'contender' : 'champion'
  const rewards = `reward ${pair[role].reward}, the ${rival} ${pair[rival].reward}`
  const title = `${env}#${index} in epoch ${epoch}, challenge ${challengeId}: ${rewards}`
  return [title, ...indentEnding(ending)].join('\n')
}

/** The same with the messages of both sides. */
export function formatFullLoss({ pair, ending, ...place }: Loss): string {
  return [sampleText(pair, place), ...indentEnding(ending)].join('\n')
}

const indentEnding = (ending: EpisodeEnding): readonly string[] =>
  endingTexts(ending).map((line) => `  ${line}`)
