import { digest, type Generator, type Hash, pcg64 } from '@affine/prng'
import { drawSeed, type EpisodeOrigin, resolveSeed } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { actionIn, type EpisodeTurns, playerTurns } from './episode.ts'
import type { Space } from './spaces.ts'

export type ResetOptions = {
  readonly seed?: number | bigint
  readonly options?: { readonly challengeId?: string }
}

/** What the draws of an episode come from, and what its commitment is made with. */
interface StreamOrigin {
  readonly random: Generator
  readonly origin: EpisodeOrigin
  /** How many resets since have gone on with the stream. */
  readonly since: number
}

interface RunningEpisode {
  readonly source: StreamOrigin
  readonly info: Info
  readonly turns: EpisodeTurns
  /** Where it is: a turn, or its end. */
  now: ReturnType<EpisodeTurns['next']>
}

/** Gymnasium's interface over a specification. `make` gives one; two never share an episode. */
export class Env {
  readonly spec: EnvSpec
  readonly actionSpace: Space<unknown>
  readonly observationSpace: Space<unknown>
  #episode: RunningEpisode | undefined

  constructor(spec: EnvSpec) {
    this.spec = spec
    this.actionSpace = spec.actionSpace
    this.observationSpace = spec.observationSpace
  }

  /**
   * Starts an episode from a seed, or from a challenge id and the seed that follows from it. With
   * neither, it goes on with the stream it has, as Gymnasium does; at first, from a seed that is
   * drawn. Protocol §3.6.
   *
   * @throws TypeError with both, for what is not a challenge id, and for an option of another name.
   */
  reset(asked: ResetOptions = {}): [observation: unknown, info: Info] {
    const { spec } = this
    const { seed, options = {} } = asked
    expectOnly('reset', asked, ['seed', 'options'])
    expectOnly('options', options, ['challengeId'])
    const { challengeId } = options
    if (challengeId !== undefined && seed !== undefined)
      throw new TypeError('"seed" expected none with a challengeId')
    const source = this.#sourceOf(challengeId ?? seed)
    const { random } = source
    const state = spec.initial(random)
    const info = createInfo(spec, state, source, challengeId)
    const turns = playerTurns(spec, { random, state })
    const now = turns.next()
    this.#episode = { source, info, turns, now }
    return [now.value.observation, info]
  }

  #sourceOf(origin: EpisodeOrigin | undefined): StreamOrigin {
    if (origin === undefined && this.#episode !== undefined) {
      const { source } = this.#episode
      return { ...source, since: source.since + 1 }
    }
    const first = origin ?? drawSeed()
    return { random: pcg64(resolveSeed(first)), origin: first, since: 0 }
  }

  /**
   * Takes one action. An illegal one, and null, which `parse` gives for a reply it cannot read,
   * forfeit: they end the episode, and the reward is what brings its total to the lowest.
   *
   * @throws TypeError before reset, after the end, and for an action outside the action space.
   */
  step(
    action: unknown,
  ): [observation: unknown, reward: number, terminated: boolean, truncated: boolean, info: Info] {
    const { actionSpace } = this
    const episode = this.#episode
    if (episode === undefined)
      throw new TypeError('"step" expected an episode in progress, got none')
    if (episode.now.done)
      throw new TypeError('"step" expected an episode in progress, got one that has ended')
    if (action !== null && !actionSpace.contains(action))
      throw new TypeError(`"action" expected ${actionSpace.description}, got ${String(action)}`)
    const before = episode.now.value.reward
    const now = episode.turns.next(action)
    episode.now = now
    const terminated = now.done ? now.value.terminated : false
    const truncated = now.done === true && !terminated
    const { observation, reward } = now.value
    return [observation, reward - before, terminated, truncated, episode.info]
  }

  /** The present state in text: its prompt. */
  render(): string {
    if (this.#episode === undefined) throw new TypeError('"render" expected a reset before it')
    return this.prompt(this.#episode.now.value.observation)
  }

  /** Drops the episode; a reset with a seed starts anew. */
  close(): void {
    this.#episode = undefined
  }

  /** An observation put to a model. */
  prompt(observation: unknown): string {
    return this.spec.prompt(observation)
  }

  /**
   * The action that the answer of a reply is, the reply as `recordedOf` gives it; null for none in
   * the action space.
   */
  parse(reply: string): unknown {
    return actionIn(this.spec, reply)
  }
}

/** @throws TypeError for any other name: an option that is misspelt is not ignored. */
export function expectOnly(name: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object') throw new TypeError(`"${name}" expected an object, got ${given}`)
  const unknown = Object.keys(given).filter((key) => !known.includes(key))
  if (unknown.length > 0)
    throw new TypeError(`"${name}" expected ${known.join(' and ')} only, got ${unknown.join(', ')}`)
}

/** Written only when it is asked for: a seed in decimal takes longer than a step. */
const formatSalt = ({ origin, since }: StreamOrigin): string =>
  since === 0 ? String(origin) : `${origin}+${since}`

/** The facts of one episode, under the same names in every language. Protocol §3.6. */
export interface Info {
  /** The challenge id of the reset; null if it had none. */
  readonly challenge_id: string | null
  /** The environment's exact id, `name@version`. */
  readonly env: string
  /** The challenge's difficulty, an integer. */
  readonly difficulty: number
  /** The hash of the environment's behaviour. */
  readonly spec_hash: Hash
  /** `digest("truth", origin, truth)`, where `truth` is what the judge will use. */
  readonly ground_truth_commitment: Hash
}

/**
 * Computes the two hashes when they are read: the commitment takes longer than an episode, and the
 * spec_hash is made of 256 episodes. Both are own and enumerable, so that `{ ...info }` and JSON
 * have them.
 */
function createInfo(
  spec: EnvSpec,
  initialState: unknown,
  source: StreamOrigin,
  challengeId: string | null = null,
): Info {
  return {
    challenge_id: challengeId,
    env: spec.id,
    difficulty: spec.difficulty(initialState),
    get spec_hash() {
      return spec.specHash()
    },
    get ground_truth_commitment() {
      return digest('truth', formatSalt(source), spec.truth(initialState))
    },
  }
}
