import type { Episode, Sample } from '@affine/blocks'
import type { SamplePlace } from '@affine/settlement'
import type { UncountedReason } from '../env-facts.ts'
import type { LostChallenge } from '../miner-stats.ts'
import { printable } from '../text.ts'
import type { EpisodeEnding, Turn } from '../turn.ts'

/**
 * Formats a sample, with every message in full. `champion` is the hotkey of the epoch's champion.
 */
export function formatSample(
  sample: Sample,
  { validator, block }: SamplePlace,
  champion?: string,
): string {
  const { env, index, challengeId } = sample
  const title = `${env}#${index}, challenge ${challengeId}`
  const place = `  in block ${block} of ${validator}`
  if ('miner' in sample) {
    const side = sample.miner === champion ? 'champion' : 'contender'
    return [title, place, ...formatEpisode(side, sample)].join('\n')
  }
  const rewards = `champion ${sample.champion.reward}, contender ${sample.contender.reward}`
  const sides = ['champion', 'contender'] as const
  const episodes = sides.flatMap((side) => formatEpisode(side, sample[side]))
  return [`${title}: ${rewards}`, place, ...episodes].join('\n')
}

function formatEpisode(side: 'champion' | 'contender', episode: Episode): string[] {
  const { miner, messages, reward } = episode
  const lines = messages.map((message) => `    ${formatMessage(message)}`)
  return [`  ${side} ${miner}: reward ${reward}${formatFault(episode)}`, ...lines]
}

const UNCOUNTED = {
  FROZEN: 'its epoch was frozen',
  NOT_ACCEPTED: 'its lane was not accepted',
  SET_ASIDE: 'its lane is suspect',
  NO_WEIGHT: 'its validator has no weight',
} as const

/** Formats the reason that a sample does not count. Empty if it counts. */
export const formatUncounted = (cause: UncountedReason | undefined): string =>
  cause === undefined ? '' : `\n  does not count: ${UNCOUNTED[cause]}`

/** Formats the fault of an episode. Empty without a fault. */
export function formatFault({ messages, fault }: Episode): string {
  if (fault === undefined) return ''
  return messages.length === 0 ? ', never begun' : `, forfeited: ${fault}`
}

/** Formats a message on one line, after a mark for its role. */
export function formatMessage({ role, content }: Episode['messages'][number]): string {
  const mark = role === 'user' ? '>' : '<'
  return `${mark} ${printable(content, 2000)}`
}

export const formatEnding = ({ why, shown, better }: EpisodeEnding): readonly string[] =>
  [why, ...shown.map((line) => `  ${line}`), better ?? []].flat()

/** Formats a reply's mistake. Empty without a known mistake. */
export const formatMistake = ({ mistake }: Turn, index: number): string =>
  mistake === undefined ? '' : `reply ${index + 1}, ${mistake}`

export interface Loss extends Omit<LostChallenge, 'forfeit'> {
  readonly epoch: number
  readonly ending: EpisodeEnding
}

/** Formats a lost challenge on one line: its name for `af-verify --sample`, and its ending. */
export function formatLoss({ epoch, pair, ending: { why, better } }: Loss): string {
  const advice = better === undefined ? '' : `; ${better}`
  return `lost ${pair.env}#${pair.index} in epoch ${epoch}: ${why}${advice}`
}

export function formatFullLoss({ epoch, pair, ending, ...place }: Loss): string {
  const lines = formatEnding(ending).map((line) => `  ${line}`)
  return [`lost in epoch ${epoch}: ${formatSample(pair, place)}`, ...lines].join('\n')
}
