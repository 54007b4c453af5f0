import { forfeitOf } from '@affine/blocks'
import { make } from '@affine/envs'
import type { Played } from '@affine/miners'
import { endingOf, endingTexts, type Forfeits, forfeitsText, Z_SQUARED_95 } from '@affine/report'
import { boundsPpm } from '@affine/wilson'

/** How often something happened, and the interval of its rate. */
interface Rate {
  readonly count: number
  readonly lower: number
  readonly upper: number
}

/** The result of practice in one environment. */
export interface PractiseResult {
  readonly env: string
  readonly challenges: number
  /** Challenges that were played perfectly. */
  readonly well: Rate
  readonly rewards: readonly (Rate & { readonly reward: number })[]
  readonly forfeits: Forfeits
  /** The times of the replies: the median, the 95th percentile, and the slowest. */
  readonly replyMs: { readonly half: number; readonly most: number; readonly slowest: number }
}

/** The result of what was played in one environment. */
export function resultOf(env: string, played: readonly Played[]): PractiseResult {
  const rewards = played.map(({ reward }) => reward)
  const rateOf = (isCounted: (each: Played) => boolean): Rate =>
    ratesIn(played.filter(isCounted).length, played.length)
  const forfeits: Record<string, number> = {}
  for (const each of played) {
    const why = forfeitOf({ ...each, contender: each }, 'contender')
    if (why !== undefined) forfeits[why] = (forfeits[why] ?? 0) + 1
  }
  return {
    env,
    challenges: played.length,
    well: rateOf(({ reward, best }) => reward >= best),
    rewards: [...new Set(rewards)]
      .sort((a, b) => b - a)
      .map((reward) => ({ reward, ...rateOf((each) => each.reward === reward) })),
    forfeits,
    replyMs: timesOf(played),
  }
}

function ratesIn(count: number, all: number): Rate {
  const { lower, upper } = boundsPpm({ wins: count, trials: all, zSquaredPpm: Z_SQUARED_95 })
  return { count, lower: lower / 1e6, upper: upper / 1e6 }
}

function timesOf(played: readonly Played[]): PractiseResult['replyMs'] {
  const times = played.flatMap(({ messages }) => messages.flatMap(({ ms }) => ms ?? []))
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0
  return { half: at(0.5), most: at(0.95), slowest: at(1) }
}

/** A result as lines for people. */
export function resultText({
  env,
  challenges,
  well,
  rewards,
  forfeits,
  replyMs,
}: PractiseResult): string {
  const { half, most, slowest } = replyMs
  const times = `half in ${half} ms, 95 % in ${most} ms, all in ${slowest} ms`
  return [
    `${env}: ${well.count} of ${challenges} played perfectly, ${rangeText(well)}`,
    ...rewards.map((rate) => `  reward ${rate.reward}: ${rate.count}, ${rangeText(rate)}`),
    `  forfeited: ${forfeitsText(forfeits) || 'none'}`,
    `  replies: ${times}; ${make(env).spec.replyMs} ms are allowed`,
  ].join('\n')
}

const rangeText = ({ lower, upper }: Rate): string => `${lower.toFixed(3)}…${upper.toFixed(3)}`

/** Did the champion do better, or without a champion a perfect player? */
export const isLost = ({ reward, best, champion = best }: Played): boolean => reward < champion

/** A lost challenge as a text, with its last board or product, and the best reply. */
export function lostText(played: Played): string {
  const { env, challengeId, reward, best, champion } = played
  const other = champion === undefined ? '' : `, the champion ${champion}`
  return [
    `${env}, challenge ${challengeId}: reward ${reward} of ${best}${other}`,
    ...endingTexts(endingOf(played, played)).map((line) => `  ${line}`),
  ].join('\n')
}
