import type { EnvSpec } from '@affine/envs'
import type { EpisodeEnding } from '../ending.ts'
import type { CountedRate, PracticeEpisode, PracticeResult } from '../practice.ts'
import { endingTexts } from './course.ts'
import { forfeitsText } from './forfeits.ts'

type PlayLimits = Pick<EnvSpec, 'replyMs' | 'game'>

/** A result of practice as lines for people. */
export function practiceText(result: PracticeResult, { replyMs, game }: PlayLimits): string {
  const { env, challenges, well, rewards, forfeits } = result
  const { half, most, slowest } = result.replyMs
  const times = `half in ${half} ms, 95 % in ${most} ms, all in ${slowest} ms`
  const how = game === undefined ? 'played perfectly' : 'won against the scripted opponent'
  return [
    `${env}: ${well.count} of ${challenges} ${how}, ${rangeText(well)}`,
    ...rewards.map((rate) => `  reward ${rate.reward}: ${rate.count}, ${rangeText(rate)}`),
    `  forfeited: ${forfeitsText(forfeits) || 'none'}`,
    `  replies: ${times}; ${replyMs} ms are allowed`,
  ].join('\n')
}

const rangeText = ({ lower, upper }: CountedRate): string =>
  `${lower.toFixed(3)}…${upper.toFixed(3)}`

/** A lost challenge as a text, with its last board or product, and the best reply. */
export function practiceLossText(played: PracticeEpisode, ending: EpisodeEnding): string {
  const { env, challengeId, reward, best, champion } = played
  const other = champion === undefined ? '' : `, the champion ${champion}`
  return [
    `${env}, challenge ${challengeId}: reward ${reward} of ${best}${other}`,
    ...endingTexts(ending).map((line) => `  ${line}`),
  ].join('\n')
}
