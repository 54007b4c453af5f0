import type { Generator } from '@affine/prng'
import type { EnvSpec } from './definition.ts'

/** One run of an environment, from its initial state to its end: the rules that `Env`, `play` and `replay` share. */
export class Episode {
  readonly spec: EnvSpec
  readonly #random: Generator
  state: unknown
  steps = 0
  /** The sum of the rewards so far. */
  total = 0
  over = false

  constructor(spec: EnvSpec, random: Generator) {
    this.spec = spec
    this.#random = random
    this.state = spec.initial(random)
  }

  get prompt(): string {
    return this.spec.prompt(this.spec.observe(this.state))
  }

  /**
   * Takes one action. Null, which stands for a reply that does not parse, and an illegal action forfeit: they end the
   * episode, and the reward is what brings the episode's total to the lowest.
   *
   * @throws TypeError after the end, or for an action that is not in the action space.
   */
  step(action: unknown): { reward: number; terminated: boolean; truncated: boolean } {
    const { spec, state } = this
    if (this.over) throw new TypeError('"step" expected an episode in progress, got one that has ended')
    if (action !== null && !spec.actionSpace.contains(action))
      throw new TypeError(`"action" expected ${spec.actionSpace.description}, got ${String(action)}`)
    const forfeit = { state, reward: spec.lowestReward - this.total, terminated: true }
    const outcome = (action === null ? null : spec.step(state, action, this.#random)) ?? forfeit
    const { reward, terminated } = outcome
    this.state = outcome.state
    this.total += reward
    this.steps += 1
    this.over = terminated || this.steps >= spec.maxSteps
    return { reward, terminated, truncated: this.over && !terminated }
  }
}

/** The action on the last line of a normalised reply, or null. A parser that gives what is in no space gives nothing. */
export function parseAction(spec: EnvSpec, reply: string): unknown {
  const action = spec.parse(reply)
  return spec.actionSpace.contains(action) ? action : null
}
