import { digest, type Generator, type Hash, pcg64 } from '@affine/prng'
import { seedOf } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { drawnSeed } from './drawn-seed.ts'
import { Info } from './info.ts'
import type { Space } from './spaces.ts'
import { lastLineOf } from './text.ts'

export type ResetOptions = {
  readonly seed?: number | bigint
  readonly options?: { readonly challengeId?: string }
}

/** What the draws of an episode come from, and what its commitment is made with. */
interface StreamOrigin {
  readonly random: Generator
  /** The challenge id, or the seed. */
  readonly origin: string | number | bigint
  /** How many resets since have gone on with the stream. */
  readonly since: number
}

interface RunningEpisode {
  readonly source: StreamOrigin
  readonly info: Info
  state: unknown
  /** How many steps it may still take. */
  left: number
  /** The sum of its rewards so far. */
  total: number
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
    const source = this.#sourceOf(seed, challengeId)
    const state = spec.initial(source.random)
    const commit = (): Hash => digest('truth', saltOf(source), spec.truth(state))
    const info = new Info({ spec, state, challengeId, commit })
    this.#episode = { source, info, state, left: spec.maxSteps, total: 0 }
    return [spec.observe(state), info]
  }

  #sourceOf(seed: ResetOptions['seed'], challengeId: string | undefined): StreamOrigin {
    if (challengeId !== undefined) {
      if (seed !== undefined) throw new TypeError('"seed" expected none with a challengeId')
      return { random: pcg64(seedOf(challengeId)), origin: challengeId, since: 0 }
    }
    if (seed === undefined && this.#episode !== undefined) {
      const { random, origin, since } = this.#episode.source
      return { random, origin, since: since + 1 }
    }
    const first = seed ?? drawnSeed()
    return { random: pcg64(first), origin: first, since: 0 }
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
    const { spec } = this
    const episode = this.#episode
    if (episode === undefined)
      throw new TypeError('"step" expected an episode in progress, got none')
    if (episode.left === 0)
      throw new TypeError('"step" expected an episode in progress, got one that has ended')
    if (action !== null && !spec.actionSpace.contains(action))
      throw new TypeError(
        `"action" expected ${spec.actionSpace.description}, got ${String(action)}`,
      )
    const played = action === null ? null : spec.step(episode.state, action, episode.source.random)
    const { state, reward, terminated } = played ?? forfeitOf(episode, spec)
    episode.state = state
    episode.total += reward
    episode.left = terminated ? 0 : episode.left - 1
    const truncated = !terminated && episode.left === 0
    return [spec.observe(state), reward, terminated, truncated, episode.info]
  }

  /** The present state in text: its prompt. */
  render(): string {
    if (this.#episode === undefined) throw new TypeError('"render" expected a reset before it')
    return this.prompt(this.spec.observe(this.#episode.state))
  }

  /** Is there no step to take: before reset, after the end? */
  get over(): boolean {
    return this.#episode === undefined || this.#episode.left === 0
  }

  /** The sum of the episode's rewards so far. */
  get total(): number {
    return this.#episode?.total ?? 0
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
   * The action on the last line of a normalised reply, what follows the last LF; null for none in
   * the action space.
   */
  parse(reply: string): unknown {
    const action = this.spec.parse(lastLineOf(reply))
    return this.actionSpace.contains(action) ? action : null
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
const saltOf = ({ origin, since }: StreamOrigin): string =>
  since === 0 ? String(origin) : `${origin}+${since}`

/** What an action comes to that is illegal, or none. */
function forfeitOf({ state, total }: RunningEpisode, { lowestReward }: EnvSpec) {
  return { state, reward: lowestReward - total, terminated: true }
}
