import { digest, type Generator, type Hash, pcg64 } from '@affine/prng'
import { seedOf } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { Episode, parseAction } from './episode.ts'
import type { Space } from './spaces.ts'
import { specHashOf } from './spec-hash.ts'

export interface ResetOptions {
  readonly seed?: number | bigint
  readonly options?: { readonly challengeId?: string }
}

/** Gymnasium's interface over a specification. `make` gives one; two never share an episode. */
export class Env {
  readonly spec: EnvSpec
  readonly actionSpace: Space<unknown>
  readonly observationSpace: Space<unknown>
  #random: Generator | undefined
  #salt = ''
  #current: { readonly episode: Episode; readonly info: Info } | undefined

  constructor(spec: EnvSpec) {
    this.spec = spec
    this.actionSpace = spec.actionSpace
    this.observationSpace = spec.observationSpace
  }

  /**
   * Starts an episode from a seed, or from a challenge id and the seed that follows from it. With neither, it goes on
   * with the stream it has, as Gymnasium does; there is no entropy here to start one from.
   *
   * @throws TypeError with neither at first, with both, or for what is not a challenge id.
   */
  reset({ seed, options }: ResetOptions = {}): [observation: unknown, info: Info] {
    const challengeId = options?.challengeId
    if (seed !== undefined && challengeId !== undefined)
      throw new TypeError('"reset" expected a seed or a challengeId, got both')
    const entropy = challengeId === undefined ? seed : seedOf(challengeId)
    const random = entropy === undefined ? this.#random : pcg64(entropy)
    if (random === undefined) throw new TypeError('"seed" expected at the first reset, got undefined')
    // A later episode of the same stream gets another salt for its commitment: 7, 7+, 7++ …
    this.#salt = entropy === undefined ? `${this.#salt}+` : (challengeId ?? String(seed))
    this.#random = random
    const episode = new Episode(this.spec, random)
    const info = new Info({ spec: this.spec, state: episode.state, salt: this.#salt, challengeId })
    this.#current = { episode, info }
    return [this.spec.observe(episode.state), info]
  }

  /**
   * Takes one action. An illegal one, and null, which `parse` gives for a reply it cannot read, end the episode with
   * the lowest reward.
   *
   * @throws TypeError before reset, after the end, and for an action outside the action space.
   */
  step(action: unknown): [observation: unknown, reward: number, terminated: boolean, truncated: boolean, info: Info] {
    const { episode, info } = this.#running()
    const { reward, terminated, truncated } = episode.step(action)
    return [this.spec.observe(episode.state), reward, terminated, truncated, info]
  }

  /** The present state in text: its prompt. */
  render(): string {
    return this.#running().episode.prompt
  }

  /** Drops the episode; a reset with a seed starts anew. */
  close(): void {
    this.#random = undefined
    this.#current = undefined
  }

  /** An observation put to a model. */
  prompt(observation: unknown): string {
    return this.spec.prompt(observation)
  }

  /** The action on the last line of a normalised reply, or null. */
  parse(reply: string): unknown {
    return parseAction(this.spec, reply)
  }

  #running(): { readonly episode: Episode; readonly info: Info } {
    if (this.#current === undefined) throw new TypeError('"step" expected a reset before it')
    return this.#current
  }
}

/**
 * About the episode, the same object at every step. The hashes are worked out when they are read: either costs more
 * than an episode, and the specHash is itself made of episodes. A class, because getters in an object literal cost a
 * third of one.
 */
export class Info {
  declare readonly challengeId?: string
  readonly env: string
  readonly difficulty: number
  readonly #start: { readonly spec: EnvSpec; readonly state: unknown; readonly salt: string }

  constructor(start: { spec: EnvSpec; state: unknown; salt: string; challengeId: string | undefined }) {
    if (start.challengeId !== undefined) this.challengeId = start.challengeId
    this.env = start.spec.id
    this.difficulty = start.spec.difficulty
    this.#start = start
  }

  get specHash(): Hash {
    return specHashOf(this.#start.spec)
  }

  /** `digest("truth", challengeId or the seed in decimal, truth)`, the truth being what the judge will use. */
  get groundTruthCommitment(): Hash {
    const { spec, state, salt } = this.#start
    return digest('truth', salt, spec.truth(state))
  }

  /** As text, with the hashes, which are no properties of its own. */
  toJSON(): object {
    return { ...this, specHash: this.specHash, groundTruthCommitment: this.groundTruthCommitment }
  }
}
