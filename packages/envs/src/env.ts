import { digest, type Generator, type Hash, pcg64 } from '@affine/prng'
import { drawSeed, type EpisodeOrigin, resolveSeed } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { type EpisodeTurns, readAction, takeTurns, writePrompt } from './episode.ts'
import type { Space } from './spaces.ts'

export type ResetOptions = {
  readonly seed?: number | bigint
  readonly options?: { readonly challengeId?: string }
}

/** The stream of an episode's draws. `origin` and `since` salt `ground_truth_commitment`. */
interface StreamOrigin {
  readonly random: Generator
  readonly origin: EpisodeOrigin
  /** Number of resets that continued the stream after the reset that began it. */
  readonly since: number
}

interface RunningEpisode {
  readonly source: StreamOrigin
  readonly info: Info
  readonly turns: EpisodeTurns
  now: ReturnType<EpisodeTurns['next']>
}

/** Gymnasium's interface to a specification, created by `make`. Plays one episode at a time. */
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
   * Starts an episode from a seed or a challenge id. With neither, continues the stream of the last
   * episode, as Gymnasium does, or draws a seed for the first episode. Protocol §3.6.
   *
   * @throws TypeError for a seed together with a challenge id, and for an invalid challenge id; for
   *   an invalid seed, as `pcg64` does.
   */
  reset({ seed, options = {} }: ResetOptions = {}): [observation: unknown, info: Info] {
    const { spec } = this
    const { challengeId } = options
    if (challengeId !== undefined && seed !== undefined)
      throw new TypeError('"seed" expected none with a challengeId')
    const source = this.#chooseSource(challengeId ?? seed)
    const { random } = source
    const state = spec.initial(random)
    const info = createInfo(spec, state, source, challengeId)
    const turns = takeTurns(spec, { random, state })
    const now = turns.next()
    this.#episode = { source, info, turns, now }
    return [spec.observe(state), info]
  }

  #chooseSource(origin: EpisodeOrigin | undefined): StreamOrigin {
    if (origin === undefined && this.#episode !== undefined) {
      const { source } = this.#episode
      return { ...source, since: source.since + 1 }
    }
    const first = origin ?? drawSeed()
    return { random: pcg64(resolveSeed(first)), origin: first, since: 0 }
  }

  /**
   * Takes one action. An illegal action forfeits, as does null, which `parse` returns for an
   * unreadable reply: the episode ends, and the reward of the step reduces the total to the lowest.
   *
   * @throws TypeError before reset, after the end, and for an action outside the action space.
   */
  step(
    action: unknown,
  ): [observation: unknown, reward: number, terminated: boolean, truncated: boolean, info: Info] {
    const { actionSpace, spec } = this
    const episode = this.#episode
    if (episode === undefined || episode.now.done)
      throw new TypeError('"step" expected an episode in progress: reset first')
    if (action !== null && !actionSpace.contains(action))
      throw new TypeError(`"action" expected ${actionSpace.description}, got ${String(action)}`)
    const before = episode.now.value.reward
    const now = episode.turns.next(action)
    episode.now = now
    const terminated = now.done ? now.value.terminated : false
    const truncated = now.done === true && !terminated
    const { state, reward } = now.value
    return [spec.observe(state), reward - before, terminated, truncated, episode.info]
  }

  /** Returns the prompt of the current state. @throws TypeError before reset. */
  render(): string {
    if (this.#episode === undefined) throw new TypeError('"render" expected a reset before it')
    return writePrompt(this.spec, this.#episode.now.value.state)
  }

  /** Drops the episode and its stream. */
  close(): void {
    this.#episode = undefined
  }

  prompt(observation: unknown): string {
    return this.spec.prompt(observation)
  }

  /**
   * Returns the action that a reply's answer states, or null if it states no action of the action
   * space. `reply` has the form that `recordReply` returns.
   */
  parse(reply: string): unknown {
    return readAction(this.spec, reply)
  }
}

/**
 * Gymnasium's `info` of one episode. TypeScript and Python use the same names. Protocol §3.6.
 */
export interface Info {
  /** Challenge id that the reset was given, or null. */
  readonly challenge_id: string | null
  /** Exact id of the environment, `name@version`. */
  readonly env: string
  readonly difficulty: number
  /** Hash of the environment's behaviour. */
  readonly spec_hash: Hash
  /**
   * `digest("truth", salt, truth)`, where `truth` is the ground truth. `salt` is the challenge id
   * or the seed, with `+n` after `n` resets that continued its stream.
   */
  readonly ground_truth_commitment: Hash
}

/**
 * Returns the info of an episode. Computes its two hashes only when they are read: the commitment
 * takes longer than an episode, and `spec_hash` plays 256 episodes.
 */
function createInfo(
  spec: EnvSpec,
  initialState: unknown,
  { origin, since }: StreamOrigin,
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
      const salt = since === 0 ? String(origin) : `${origin}+${since}`
      return digest('truth', salt, spec.truth(initialState))
    },
  }
}
