import type { Generator, Json } from '@affine/prng'
import type { Space } from './spaces.ts'

/**
 * An environment as pure functions of its state. A state is immutable: `step` returns a new one.
 * Only `random` may decide anything by chance; it is one stream from `initial` through every `step`.
 */
export interface Definition<State, Observation, Action> {
  /** Lower-case words joined by hyphens. */
  readonly name: string
  /** `x.y.z`. Any change in what is printed, accepted or rewarded is a new version. */
  readonly version: string
  /** An integer for people; compares versions of one environment, not environments. */
  readonly difficulty: number
  /** The most replies an episode can take; it is truncated there. */
  readonly maxSteps: number
  /** How long a reply may take, in milliseconds. The sampler enforces it. */
  readonly replyMs: number
  /** The least an episode can be rewarded; a forfeit's reward. */
  readonly lowestReward: number
  readonly actionSpace: Space<Action>
  readonly observationSpace: Space<Observation>
  /** Draws a challenge. */
  initial(random: Generator): State
  /** What the judge will use, from the initial state. Only its digest is shown. */
  truth(state: State): Json
  /** What the agent may see of a state. */
  observe(state: State): Observation
  /** The state after `action` and the integer reward of this step, or null when the action is illegal. */
  step(state: State, action: Action, random: Generator): { state: State; reward: number; terminated: boolean } | null
  /** The observation put to a model: self-contained, rules and form of the answer included, every turn. */
  prompt(observation: Observation): string
  /** The action on the last line of a normalised reply, or null. Strict: nothing is trimmed or guessed. */
  parse(reply: string): Action | null
  /** An action as a reply; `parse` reads it back. */
  format(action: Action): string
  /** What a perfect player replies, from the text of a prompt alone. TypeError for any other text. */
  solve(prompt: string): string
}

/** A definition whose types are erased, under its exact id, `name@version`. */
export interface EnvSpec extends Definition<unknown, unknown, unknown> {
  readonly id: string
}

/**
 * Checks the plain facts of a definition and freezes it. What it does is `checkEnv`'s to try.
 *
 * @throws RangeError when a name, version or number has the wrong form.
 */
export function defineEnv<State, Observation, Action>(definition: Definition<State, Observation, Action>): EnvSpec {
  const id = `${definition.name}@${definition.version}`
  if (!/^[a-z0-9]+(-[a-z0-9]+)*@(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}$/.test(id))
    throw new RangeError(`"name, version" expected lower-case words joined by hyphens and x.y.z, got ${id}`)
  for (const field of ['difficulty', 'maxSteps', 'replyMs', 'lowestReward'] as const) {
    const least = field === 'maxSteps' || field === 'replyMs' ? 1 : Number.MIN_SAFE_INTEGER
    if (!Number.isSafeInteger(definition[field]) || definition[field] < least)
      throw new RangeError(`"${field}" expected an integer from ${least}, got ${definition[field]}`)
  }
  return Object.freeze({ ...definition, id })
}
