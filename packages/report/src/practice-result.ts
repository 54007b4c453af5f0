import { findEpisodeForfeit } from '@affine/blocks'
import type { EnvSpec, Transcript } from '@affine/envs'
import { boundsPpm } from '@affine/wilson'
import type { SoloRef } from './course.ts'
import type { Forfeits } from './miner-stats.ts'
import { formatForfeits } from './sentences/duel-text.ts'
import { formatEnding } from './sentences/sample-text.ts'
import type { EpisodeEnding } from './turn.ts'

/** z² of a 95 % interval, in ppm: 1.96². */
export const Z_SQUARED_95 = 3_841_600n

/**
 * A practice challenge as played. `best` is the reward of a win in a game, otherwise the scripted
 * player's reward. `champion` is the champion's reward in a past challenge.
 */
export type PracticeEpisode = SoloRef &
  Transcript & { readonly best: number; readonly champion?: number }

export interface PracticeResult {
  readonly env: string
  readonly challenges: number
  /** Strength of the scripted opponent. Only in games. */
  readonly strength?: number
  /** Challenges with a reward of at least `best`, and the 95 % interval of their rate, 0 to 1. */
  readonly well: Readonly<Record<'count' | 'lower' | 'upper', number>>
  readonly rewards: readonly Readonly<Record<'reward' | 'count', number>>[]
  readonly forfeits: Forfeits
  /** Reply times in ms: median, 95th percentile and maximum. Absent without replies. */
  readonly replyMs?: { readonly half: number; readonly most: number; readonly slowest: number }
}

export const isPerfect = ({ reward, best }: Pick<PracticeEpisode, 'reward' | 'best'>): boolean =>
  reward >= best

/** Reports whether the reward is below the champion's; without a champion, below `best`. */
export const isLost = ({ reward, best, champion = best }: PracticeEpisode): boolean =>
  reward < champion

/** Summarises episodes of one environment, in games against opponents of one strength. */
export function summarisePractice(env: string, played: readonly PracticeEpisode[]): PracticeResult {
  const count = played.filter(isPerfect).length
  const proportion = { wins: count, trials: played.length, zSquaredPpm: Z_SQUARED_95 }
  const { lower, upper } = boundsPpm(proportion)
  const countOf = (reward: number): number => played.filter((each) => each.reward === reward).length
  const rewards = [...new Set(played.map(({ reward }) => reward))].sort((a, b) => b - a)
  const forfeits: Record<string, number> = {}
  for (const each of played) {
    const way = findEpisodeForfeit(each, each)
    if (way !== undefined) forfeits[way] = (forfeits[way] ?? 0) + 1
  }
  const strength = played[0]?.strength
  return {
    env,
    challenges: played.length,
    ...(strength !== undefined && { strength }),
    well: { count, lower: lower / 1e6, upper: upper / 1e6 },
    rewards: rewards.map((reward) => ({ reward, count: countOf(reward) })),
    forfeits,
    ...summariseTimes(played),
  }
}

function summariseTimes(played: readonly PracticeEpisode[]): Pick<PracticeResult, 'replyMs'> {
  const times = played.flatMap(({ messages }) => messages.flatMap(({ ms }) => ms ?? []))
  if (times.length === 0) return {}
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0
  return { replyMs: { half: at(0.5), most: at(0.95), slowest: at(1) } }
}

const MAX_REWARDS = 5

export function formatPractice(
  result: PracticeResult,
  spec: Pick<EnvSpec, 'replyMs' | 'explain'>,
): string {
  const { env, challenges, strength, well, rewards, forfeits } = result
  const alone = spec.explain?.best
    ? 'played perfectly'
    : 'rewarded at least like the scripted player'
  const won = `won against the scripted opponent at strength ${strength}`
  const how = strength === undefined ? alone : won
  const range = `${well.lower.toFixed(3)}…${well.upper.toFixed(3)}`
  return [
    `${env}: ${well.count} of ${challenges} ${how}, ${range} (95 % interval)`,
    ...formatRewards(rewards, challenges),
    `  forfeited: ${formatForfeits(forfeits) || 'none'}`,
    ...formatTimes(result, spec.replyMs),
  ].join('\n')
}

function formatTimes({ replyMs }: PracticeResult, allowed: number): readonly string[] {
  if (replyMs === undefined) return []
  const { half, most, slowest } = replyMs
  const times = `half in ${half} ms, 95 % in ${most} ms, all in ${slowest} ms`
  return [`  replies: ${times}; ${allowed} ms are allowed`]
}

function formatRewards(rewards: PracticeResult['rewards'], challenges: number): readonly string[] {
  if (rewards.length <= MAX_REWARDS)
    return rewards.map(({ reward, count }) => `  reward ${reward}: ${count}`)
  const all = rewards.flatMap(({ reward, count }) => Array<number>(count).fill(reward))
  const half = all[Math.ceil(challenges / 2) - 1]
  return [`  rewards: ${all.at(-1)} to ${all[0]}, in half of the challenges at least ${half}`]
}

/** Formats a lost challenge: its rewards, its end, and a better reply, if any. */
export function formatPracticeLoss(played: PracticeEpisode, ending: EpisodeEnding): string {
  const { env, challengeId, reward, best, champion } = played
  const other = champion === undefined ? '' : `, the champion's ${champion}`
  return [
    `${env}, challenge ${challengeId}: reward ${reward}, best ${best}${other}`,
    ...formatEnding(ending).map((line) => `  ${line}`),
  ].join('\n')
}
