import { forfeitIn } from '@affine/blocks'
import type { Transcript } from '@affine/envs'
import { boundsPpm } from '@affine/wilson'
import type { SoloRef } from './course.ts'
import type { Forfeits } from './miner-stats.ts'
import { Z_SQUARED_95 } from './prospects.ts'

/**
 * A challenge that was played for practice, with the most that can be earned; of a past one, what
 * the champion earned in it.
 */
export type PracticeEpisode = SoloRef &
  Transcript & { readonly best: number; readonly champion?: number }

/** How often something happened, and the interval of its rate. */
export interface CountedRate {
  readonly count: number
  readonly lower: number
  readonly upper: number
}

/** The result of practice in one environment. */
export interface PracticeResult {
  readonly env: string
  readonly challenges: number
  /** Of the scripted opponent, in games. */
  readonly strength?: number
  /** Challenges that were played perfectly; in games, that were won. */
  readonly well: CountedRate
  readonly rewards: readonly (CountedRate & { readonly reward: number })[]
  readonly forfeits: Forfeits
  /** The times of the replies, if any came: the median, the 95th percentile, and the slowest. */
  readonly replyMs?: { readonly half: number; readonly most: number; readonly slowest: number }
}

/** Did it earn as much as can be earned? */
export const isPerfect = ({ reward, best }: Pick<PracticeEpisode, 'reward' | 'best'>): boolean =>
  reward >= best

/** Did the champion do better, or could more be earned without one? */
export const isLost = ({ reward, best, champion = best }: PracticeEpisode): boolean =>
  reward < champion

/** The result of what was played in one environment, against opponents of one strength. */
export function practiceResult(env: string, played: readonly PracticeEpisode[]): PracticeResult {
  const rateOf = (isCounted: (each: PracticeEpisode) => boolean): CountedRate => {
    const count = played.filter(isCounted).length
    const asked = { wins: count, trials: played.length, zSquaredPpm: Z_SQUARED_95 }
    const { lower, upper } = boundsPpm(asked)
    return { count, lower: lower / 1e6, upper: upper / 1e6 }
  }
  const rewards = [...new Set(played.map(({ reward }) => reward))].sort((a, b) => b - a)
  const forfeits: Record<string, number> = {}
  for (const each of played) {
    const way = forfeitIn(each, each)
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
    ...timesOf(played),
  }
}

function timesOf(played: readonly PracticeEpisode[]): Pick<PracticeResult, 'replyMs'> {
  const times = played.flatMap(({ messages }) => messages.flatMap(({ ms }) => ms ?? []))
  if (times.length === 0) return {}
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0
  return { replyMs: { half: at(0.5), most: at(0.95), slowest: at(1) } }
}
