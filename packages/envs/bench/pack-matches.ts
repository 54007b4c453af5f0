import { make } from '../src/index.ts'
import { drawFrom, type Program } from './draw.ts'
import { PACK_PLAYERS } from './pack-players.ts'
import { type NamePair, type Score, shareText, short } from './share.ts'

const env = make('pack@0.1.0')

/** Returns a player's rewards in the first `challenges` challenges. */
export function packRewards(name: string, challenges: number): readonly number[] {
  const program = PACK_PLAYERS[name] as Program
  const place = Object.keys(PACK_PLAYERS).indexOf(name)
  return Array.from({ length: challenges }, (_, seed) => {
    const [observation] = env.reset({ seed })
    const reply = program(env.prompt(observation), drawFrom(seed * 16 + place))
    return env.step(env.parse(reply))[1]
  })
}

/** The comparison of two players' rewards. */
export interface PackScore extends Score {
  readonly tied: number
}

export function packScore(strong: readonly number[], weak: readonly number[]): PackScore {
  const leads = strong.map((reward, at) => reward - (weak[at] ?? 0))
  const trials = leads.filter((lead) => lead !== 0).length
  const wins = leads.filter((lead) => lead > 0).length
  return { wins, trials, tied: 1 - trials / leads.length }
}

/** Returns a row: a player's mean share of the box, and its share of perfect packings. */
export function coveredRow(name: string, rewards: readonly number[]): string {
  const { highestReward } = env.spec
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length / highestReward
  const perfect = rewards.filter((reward) => reward === highestReward).length / rewards.length
  return `| ${[name, mean.toFixed(3), short(perfect)].join(' | ')} |`
}

/**
 * Returns a row: the pair, the stronger player's share of the decisive challenges, the share of
 * ties.
 */
export function packRow(names: NamePair, score: PackScore): string {
  return `| ${[...names, shareText(score), short(score.tied)].join(' | ')} |`
}
