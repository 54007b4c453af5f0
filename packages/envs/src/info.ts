import type { Hash } from '@affine/prng'

/** What info says of a specification. */
interface Described {
  readonly id: string
  readonly difficulty: number
  specHash(): Hash
}

/**
 * About the episode, the same object at every step. The hashes are worked out when they are read:
 * either costs more than an episode, and the specHash is itself made of episodes. A class, because
 * getters in an object literal cost as much as two.
 */
export class Info {
  declare readonly challengeId?: string
  readonly env: string
  readonly difficulty: number
  readonly #spec: Described
  readonly #commit: () => Hash

  constructor(spec: Described, challengeId: string | undefined, commit: () => Hash) {
    if (challengeId !== undefined) this.challengeId = challengeId
    this.env = spec.id
    this.difficulty = spec.difficulty
    this.#spec = spec
    this.#commit = commit
  }

  get specHash(): Hash {
    return this.#spec.specHash()
  }

  /**
   * `digest("truth", challengeId or the seed in decimal, truth)`, the truth being what the judge
   * will use. Protocol §3.6.
   */
  get groundTruthCommitment(): Hash {
    return this.#commit()
  }

  /** As text, with the hashes, which are no properties of its own. */
  toJSON(): object {
    return { ...this, specHash: this.specHash, groundTruthCommitment: this.groundTruthCommitment }
  }
}
