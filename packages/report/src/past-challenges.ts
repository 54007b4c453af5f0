import type { Sample } from '@affine/blocks'
import { contentOf, type Miner } from '@affine/duel'
import type { Hash } from '@affine/prng'
import type { SamplePlace, Settled } from '@affine/settlement'
import { DuelLanes } from './duel-lanes.ts'
import { SIDES, type Side } from './sides.ts'

/** A challenge and the reward in it. */
export interface PastChallenge {
  readonly env: string
  readonly challengeId: string
  readonly reward: number
}

/**
 * The rewards of miners in past challenges, by their commitments. It keeps only lanes that count,
 * and at most `most` challenges of each environment: those with the smallest ids, which are hashes
 * and so a random choice.
 */
export class PastChallenges {
  readonly #most: number
  readonly #lanes = new DuelLanes<Record<Side, PastChallenge[]>>(() => ({
    champion: [],
    contender: [],
  }))
  /** From duels that are over. */
  readonly #past = new Map<Hash, readonly PastChallenge[]>()
  #duel: Settled['before']['duel']

  constructor(most: number) {
    this.#most = most
  }

  /** Adds a sample of the epoch under way, without its messages. */
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

  /** The rewards of a miner with its present commitment. */
  of(miner: Miner): readonly PastChallenge[] {
    this.#closeDuel()
    return this.#past.get(contentOf(miner)) ?? []
  }

  /** Keeps the challenges of the last duel that count. */
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

/** At most `most` of each environment, those with the smallest ids. */
function firstOf(challenges: readonly PastChallenge[], most: number): PastChallenge[] {
  const counts = new Map<string, number>()
  const ascending = [...challenges].sort((a, b) => (a.challengeId < b.challengeId ? -1 : 1))
  return ascending.filter(({ env }) => {
    const count = (counts.get(env) ?? 0) + 1
    counts.set(env, count)
    return count <= most
  })
}
