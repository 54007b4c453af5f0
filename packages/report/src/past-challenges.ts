import type { Sample } from '@affine/blocks'
import { contentOf, type Miner } from '@affine/duel'
import type { Hash } from '@affine/prng'
import type { SamplePlace, Settled } from '@affine/settlement'
import { DuelLanes } from './duel-lanes.ts'
import { SIDES, type Side } from './sides.ts'

/** A challenge, and what was earned in it. */
export interface PastChallenge {
  readonly env: string
  readonly challengeId: string
  readonly reward: number
}

/**
 * What miners earned in past challenges, by what they had committed to: in the lanes that count, at
 * most `most` of each environment, those whose ids come first, and ids are hashes.
 */
export class PastChallenges {
  readonly #most: number
  readonly #lanes = new DuelLanes<Record<Side, PastChallenge[]>>(() => ({
    champion: [],
    contender: [],
  }))
  /** Of duels that are over. */
  readonly #past = new Map<Hash, readonly PastChallenge[]>()
  #duel: Settled['before']['duel']

  constructor(most: number) {
    this.#most = most
  }

  /** Takes note of a sample of the epoch under way: of what was said, nothing. */
  add({ env, challengeId, ...sides }: Sample, place: SamplePlace): void {
    const lane = this.#lanes.laneOf({ env }, place)
    for (const side of SIDES) {
      lane[side].push({ env, challengeId, reward: sides[side].reward })
      if (lane[side].length > 2 * this.#most) lane[side] = firstOf(lane[side], this.#most)
    }
  }

  /** Ends the epoch under way. */
  finish(settled: Settled): void {
    const { duel } = settled.before
    if (duel?.id !== this.#duel?.id) this.#closeDuel()
    this.#duel = duel
    this.#lanes.finish(settled)
  }

  /** What a miner earned with what it commits to. */
  of(miner: Miner): readonly PastChallenge[] {
    this.#closeDuel()
    return this.#past.get(contentOf(miner)) ?? []
  }

  /** Keeps what counts of the duel that was read last. */
  #closeDuel(): void {
    const duel = this.#duel
    this.#duel = undefined
    if (duel === undefined) return
    const lanes = this.#lanes.counted
    for (const side of SIDES) {
      const content = contentOf(duel[side])
      const all = [...(this.#past.get(content) ?? []), ...lanes.flatMap(({ kept }) => kept[side])]
      this.#past.set(content, firstOf(all, this.#most))
    }
  }
}

/** At most so many of each environment, those whose ids come first. */
function firstOf(challenges: readonly PastChallenge[], most: number): PastChallenge[] {
  const counts = new Map<string, number>()
  const ascending = [...challenges].sort((a, b) => (a.challengeId < b.challengeId ? -1 : 1))
  return ascending.filter(({ env }) => {
    const count = (counts.get(env) ?? 0) + 1
    counts.set(env, count)
    return count <= most
  })
}
