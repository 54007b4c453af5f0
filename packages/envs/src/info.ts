import type { Hash } from '@affine/prng'
import type { EnvSpec } from './definition.ts'

/** What info is about. */
interface Described {
  readonly spec: Pick<EnvSpec, 'id' | 'difficulty' | 'specHash'>
  /** The initial one. */
  readonly state: unknown
  readonly challengeId: string | undefined
  commit(): Hash
}

/**
 * About the episode, the same object at every step. The hashes are worked out when they are read:
 * either costs more than an episode, and the specHash is itself made of episodes. A class, because
 * getters in an object literal cost as much as two.
 */
export class Info {
  declare readonly challengeId?: string
  readonly env: string
  /** The challenge's. */
  readonly difficulty: number
  readonly #spec: Pick<EnvSpec, 'specHash'>
  readonly #commit: () => Hash

  constructor({ spec, state, challengeId, commit }: Described) {
    if (challengeId !== undefined) this.challengeId = challengeId
    this.env = spec.id
    this.difficulty = spec.difficulty(state)
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
