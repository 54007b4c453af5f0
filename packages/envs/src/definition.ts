import type { Generator, Hash, Json } from '@affine/prng'
import type { Explanation } from './explanation.ts'
import type { Space } from './spaces.ts'

/**
 * An environment as pure functions of its state. A state is immutable: `step` returns a new one.
 * Only `random` may decide anything by chance; it is one stream from `initial` through every
 * `step`.
 */
export interface Definition<State, Observation, Action> {
  /** Lower-case words joined by hyphens. */
  readonly name: string
  /** `x.y.z`. Any change in what is printed, accepted or rewarded is a new version. */
  readonly version: string
  /** The most replies an episode can take; it is truncated there. */
  readonly maxSteps: number
  /** How long a reply may take, in milliseconds. The sampler enforces it. */
  readonly replyMs: number
  /** The least an episode can be rewarded; a forfeit's reward. */
  readonly lowestReward: number
  /** The most an episode can be rewarded. */
  readonly highestReward: number
  readonly actionSpace: Space<Action>
  readonly observationSpace: Space<Observation>
  /** Draws a challenge. */
  initial(random: Generator): State
  /** What the judge will use, from the initial state. Only its digest is shown. */
  truth(state: State): Json
  /** How hard a challenge is, from the initial state: an integer, for people. */
  difficulty(state: State): number
  /** What the agent may see of a state. */
  observe(state: State): Observation
  /**
   * The state after `action` and the integer reward of this step, or null when the action is
   * illegal.
   */
  step(
    state: State,
    action: Action,
    random: Generator,
  ): { state: State; reward: number; terminated: boolean } | null
  /**
   * The observation put to a model: self-contained, rules and form of the answer included, every
   * turn.
   */
  prompt(observation: Observation): string
  /**
   * The action that an answer is, as `answerOf` finds it in a reply, or null. Strict: nothing is
   * trimmed or guessed.
   */
  parse(line: string): Action | null
  /** An action as an answer; `parse` reads it back. */
  format(action: Action): string
  /**
   * What a perfect player replies, from the text of a prompt alone. TypeError for any other text.
   */
  solve(prompt: string): string
  /**
   * Any reply to a prompt that `solve` takes: good, bad or illegal, as it comes, but now and then a
   * legal one. Which draws are made is part of the contract: golden players use them.
   */
  guess(prompt: string, random: Generator): string
  /** What people are told of it. */
  readonly explain?: Explanation<Observation, Action>
}

/**
 * An environment of two players, who take turns. One of them wins: its reward is the highest, the
 * other's the lowest. Observations say whose move it is, and prompts hold nothing that the other
 * wrote. Protocol §3.1.
 */
export interface GameDefinition<State, Observation, Action>
  extends Omit<Definition<State, Observation, Action>, 'step'> {
  /**
   * How long a side may take for all its replies together, in milliseconds. The sampler enforces
   * it.
   */
  readonly clockMs: number
  /**
   * The state after the mover's action, and whether the mover has won by it; null when the action
   * is illegal. After `maxSteps` replies, both players' counted, somebody has won.
   */
  step(state: State, action: Action, random: Generator): { state: State; won: boolean } | null
}

/** What decides a game of two, its types erased. */
export type GameRules = Pick<GameDefinition<unknown, unknown, unknown>, 'clockMs' | 'step'> & {
  /** The first state: whoever is first is the mover. */
  initial(random: Generator): unknown
  /** The same game for one player, against the scripted one at a strength from 0 to 1. */
  against(strength: number): Pick<Definition<unknown, unknown, unknown>, 'initial' | 'step'>
}

/**
 * A definition whose types are erased, under its exact id, `name@version`, and the hash of its
 * behaviour. With `game` there are two players: those rules decide, and the definition is the same
 * game for one player, against the scripted one that `solve` is.
 */
export type EnvSpec = Definition<unknown, unknown, unknown> & {
  readonly id: string
  readonly game?: GameRules
  specHash(): Hash
}
