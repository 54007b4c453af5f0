import type { ChallengePair } from '@affine/blocks'
import { digestContent, type Miner } from '@affine/duel'
import { SIDES, type Side } from '@affine/envs'
import type { Hash } from '@affine/prng'
import type { EpochResult } from '@affine/settlement'
import { DuelLanes } from './duel-lanes.ts'
import type { PracticeEpisode } from './practice-result.ts'

export type PastChallenge = Pick<PracticeEpisode, 'env' | 'challengeId' | 'reward'>

type LaneRewards = Record<Side, PastChallenge[]>

/**
 * The rewards of miners in past challenges, by commitment. Stores only challenges of lanes that
 * count, and of each environment only the `most` with the smallest ids. Ids are hashes, so the
 * stored challenges are a random sample. The messages of samples are not needed.
 */
export class PastChallenges extends DuelLanes<LaneRewards> {
  readonly #most: number
  /** Commitment digest and rewards of both sides, by duel. */
  readonly #played = new Map<string, readonly (readonly [Hash, readonly PastChallenge[]])[]>()

  constructor(most: number) {
    super()
    this.#most = most
  }

  protected override begin(): LaneRewards {
    return { champion: [], contender: [] }
  }

  protected override count(lane: LaneRewards, pair: ChallengePair): void {
    const { env, challengeId } = pair
    for (const side of SIDES) {
      lane[side].push({ env, challengeId, reward: pair[side].reward })
      if (lane[side].length > 2 * this.#most) lane[side] = smallestIds(lane[side], this.#most)
    }
  }

  override finish(settled: EpochResult): void {
    const { before, report } = settled
    super.finish(settled)
    for (const { contender, start } of report.duels) {
      const lanes = this.countedLanes(contender.hotkey)
      const sides = { champion: before.champion, contender }
      const played = SIDES.flatMap((side) => {
        const [miner, rewards] = [sides[side], lanes.flatMap(({ data }) => data[side])]
        return miner ? [[digestContent(miner), smallestIds(rewards, this.#most)] as const] : []
      })
      this.#played.set(`${start} ${contender.hotkey}`, played)
    }
  }

  /** Returns the rewards that a miner earned with its current commitment. */
  of(miner: Miner): readonly PastChallenge[] {
    const content = digestContent(miner)
    const all = [...this.#played.values()].flat()
    const own = all.flatMap(([of, rewards]) => (of === content ? rewards : []))
    return smallestIds(own, this.#most)
  }
}

/** Returns the `most` challenges of each environment with the smallest ids, without duplicates. */
function smallestIds(challenges: readonly PastChallenge[], most: number): PastChallenge[] {
  const counts = new Map<string, number>()
  const byId = new Map(challenges.map((challenge) => [challenge.challengeId, challenge]))
  const ascending = [...byId.values()].sort((a, b) => (a.challengeId < b.challengeId ? -1 : 1))
  return ascending.filter(({ env }) => {
    const count = (counts.get(env) ?? 0) + 1
    counts.set(env, count)
    return count <= most
  })
}
