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

/** About the episode, the same object at every step. The hashes are worked out when they are first read. */
export interface Info {
  readonly challengeId?: string
  readonly env: string
  readonly difficulty: number
  readonly specHash: Hash
  /** `digest("truth", challengeId or the seed in decimal, truth)`, the truth being what the judge will use. */
  readonly groundTruthCommitment: Hash
}

/** Gymnasium's interface over a specification. `make` gives one; two never share an episode. */
export class Env {
  readonly spec: EnvSpec
  #random: Generator | undefined
  #seed = ''
  #episode: Episode | undefined
  #info: Info | undefined

  constructor(spec: EnvSpec) {
    this.spec = spec
  }

  get actionSpace(): Space<unknown> {
    return this.spec.actionSpace
  }

  get observationSpace(): Space<unknown> {
    return this.spec.observationSpace
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
    this.#seed = entropy === undefined ? `${this.#seed}+` : (challengeId ?? String(seed))
    this.#random = random
    this.#episode = new Episode(this.spec, random)
    this.#info = new EpisodeInfo(this.spec, this.#episode.state, this.#seed, challengeId)
    return [this.spec.observe(this.#episode.state), this.#info]
  }

  /**
   * Takes one action. An illegal one, and null, which `parse` gives for a reply it cannot read, end the episode with
   * the lowest reward.
   *
   * @throws TypeError before reset, after the end, and for an action outside the action space.
   */
  step(action: unknown): [observation: unknown, reward: number, terminated: boolean, truncated: boolean, info: Info] {
    const [episode, info] = this.#current()
    const { reward, terminated, truncated } = episode.step(action)
    return [this.spec.observe(episode.state), reward, terminated, truncated, info]
  }

  /** The present state in text: its prompt. */
  render(): string {
    return this.#current()[0].prompt
  }

  /** Drops the episode; a reset with a seed starts anew. */
  close(): void {
    this.#random = undefined
    this.#episode = undefined
  }

  /** An observation put to a model. */
  prompt(observation: unknown): string {
    return this.spec.prompt(observation)
  }

  /** The action on the last line of a normalised reply, or null. */
  parse(reply: string): unknown {
    return parseAction(this.spec, reply)
  }

  #current(): [Episode, Info] {
    if (this.#episode === undefined || this.#info === undefined)
      throw new TypeError('"step" expected a reset before it')
    return [this.#episode, this.#info]
  }
}

/** Lazy, because both digests cost more than an episode, and because the specHash is itself made of episodes. */
class EpisodeInfo implements Info {
  declare readonly challengeId?: string
  readonly env: string
  readonly difficulty: number
  readonly #episode: { readonly spec: EnvSpec; readonly initial: unknown; readonly salt: string }
  #commitment: Hash | undefined

  constructor(spec: EnvSpec, initial: unknown, salt: string, challengeId: string | undefined) {
    if (challengeId !== undefined) this.challengeId = challengeId
    this.env = spec.id
    this.difficulty = spec.difficulty
    this.#episode = { spec, initial, salt }
  }

  get specHash(): Hash {
    return specHashOf(this.#episode.spec)
  }

  get groundTruthCommitment(): Hash {
    const { spec, initial, salt } = this.#episode
    this.#commitment ??= digest('truth', salt, spec.truth(initial))
    return this.#commitment
  }

  toJSON(): Info {
    const { specHash, groundTruthCommitment } = this
    return { ...this, specHash, groundTruthCommitment }
  }
}
