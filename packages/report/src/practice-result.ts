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

/** Number of events, and the 95 % interval of their rate, from 0 to 1. */
export interface CountedRate {
  readonly count: number
  readonly lower: number
  readonly upper: number
}

export interface PracticeResult {
  readonly env: string
  readonly challenges: number
  /** Strength of the scripted opponent. Only in games. */
  readonly strength?: number
  /** Challenges with a reward of at least `best`. */
  readonly well: CountedRate
  readonly rewards: readonly (CountedRate & { readonly reward: number })[]
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
  const rateOf = (isCounted: (each: PracticeEpisode) => boolean): CountedRate => {
    const count = played.filter(isCounted).length
    const proportion = { wins: count, trials: played.length, zSquaredPpm: Z_SQUARED_95 }
    const { lower, upper } = boundsPpm(proportion)
    return { count, lower: lower / 1e6, upper: upper / 1e6 }
  }
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
    well: rateOf(isPerfect),
    rewards: rewards.map((reward) => ({ reward, ...rateOf((each) => each.reward === reward) })),
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
  return [
    `${env}: ${well.count} of ${challenges} ${how}, ${formatRange(well)} (95 % interval)`,
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
    return rewards.map((rate) => `  reward ${rate.reward}: ${rate.count}, ${formatRange(rate)}`)
  const all = rewards.flatMap(({ reward, count }) => Array<number>(count).fill(reward))
  const half = all[Math.ceil(challenges / 2) - 1]
  return [`  rewards: ${all.at(-1)} to ${all[0]}, in half of the challenges at least ${half}`]
}

const formatRange = ({ lower, upper }: CountedRate): string =>
  `${lower.toFixed(3)}…${upper.toFixed(3)}`

/** Formats a lost challenge: its rewards, its end, and a better reply, if any. */
export function formatPracticeLoss(played: PracticeEpisode, ending: EpisodeEnding): string {
  const { env, challengeId, reward, best, champion } = played
  const other = champion === undefined ? '' : `, the champion's ${champion}`
  return [
    `${env}, challenge ${challengeId}: reward ${reward}, best ${best}${other}`,
    ...formatEnding(ending).map((line) => `  ${line}`),
  ].join('\n')
}
