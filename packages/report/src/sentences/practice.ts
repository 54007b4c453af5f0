import type { EnvSpec } from '@affine/envs'
import type { EpisodeEnding } from '../ending.ts'
import type { CountedRate, PracticeEpisode, PracticeResult } from '../practice.ts'
import { endingTexts } from './course.ts'
import { forfeitsText } from './forfeits.ts'

/** If there are more different rewards, they are not listed. */
const MOST_REWARDS = 5

/** A result of practice as lines for people. */
export function practiceText(
  result: PracticeResult,
  spec: Pick<EnvSpec, 'replyMs' | 'explain'>,
): string {
  const { env, challenges, strength, well, rewards, forfeits } = result
  const alone = spec.explain?.best
    ? 'played perfectly'
    : 'rewarded with what the scripted player earns, or more'
  const won = `won against the scripted opponent at strength ${strength}`
  const how = strength === undefined ? alone : won
  return [
    `${env}: ${well.count} of ${challenges} ${how}, ${rangeText(well)}`,
    ...rewardTexts(rewards, challenges),
    `  forfeited: ${forfeitsText(forfeits) || 'none'}`,
    ...timesTexts(result, spec),
  ].join('\n')
}

function timesTexts(
  { replyMs }: PracticeResult,
  { replyMs: allowed }: Pick<EnvSpec, 'replyMs'>,
): readonly string[] {
  if (replyMs === undefined) return []
  const { half, most, slowest } = replyMs
  const times = `half in ${half} ms, 95 % in ${most} ms, all in ${slowest} ms`
  return [`  replies: ${times}; ${allowed} ms are allowed`]
}

function rewardTexts(rewards: PracticeResult['rewards'], challenges: number): readonly string[] {
  if (rewards.length <= MOST_REWARDS)
    return rewards.map((rate) => `  reward ${rate.reward}: ${rate.count}, ${rangeText(rate)}`)
  const all = rewards.flatMap(({ reward, count }) => Array<number>(count).fill(reward))
  const half = all[Math.ceil(challenges / 2) - 1]
  return [`  rewards: ${all.at(-1)} to ${all[0]}, in half of the challenges at least ${half}`]
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
