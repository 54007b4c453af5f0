import type { Generator, Hash, Json } from '@affine/prng'
import type { Explanation } from './explanation.ts'
import type { Space } from './spaces.ts'

/**
 * An environment as pure functions of its state. A state is immutable: `step` returns a new one.
 * `random` is the only source of chance, one stream from `initial` through every `step`.
 */
export interface Definition<State, Observation, Action> {
  /** Lower-case words joined by hyphens. */
  readonly name: string
  /** `x.y.z`. Any change of prompts, accepted replies or rewards needs a new version. */
  readonly version: string
  /** Maximum number of replies in an episode, after which it is truncated. */
  readonly maxSteps: number
  /** Maximum time for a reply in milliseconds. The sampler enforces it. */
  readonly replyMs: number
  /** Minimum reward of an episode, and the reward of a forfeit. */
  readonly lowestReward: number
  readonly highestReward: number
  readonly actionSpace: Space<Action>
  readonly observationSpace: Space<Observation>
  /** Draws a challenge, and returns its initial state. */
  initial(random: Generator): State
  /**
   * Returns the ground truth of an initial state, such as its solution. `info` has only the
   * digest of the ground truth.
   */
  truth(state: State): Json
  /** Returns the difficulty of an initial state: an integer that is shown and affects no result. */
  difficulty(state: State): number
  /** Returns the part of a state that the agent may see. */
  observe(state: State): Observation
  /**
   * Returns the state after `action` and the integer reward of this step, or null if the action is
   * illegal.
   */
  step(
    state: State,
    action: Action,
    random: Generator,
  ): { state: State; reward: number; terminated: boolean } | null
  /** Returns an observation as a prompt. Each prompt states the rules and the answer's form. */
  prompt(observation: Observation): string
  /**
   * Returns the action that an answer from `extractAnswer` states, or null. Does not trim or guess.
   */
  parse(answer: string): Action | null
  /** Returns an action as an answer, which `parse` reads back. */
  format(action: Action): string
  /**
   * Returns the scripted player's reply to a prompt, as good as possible. @throws TypeError for any
   * other text.
   */
  solve(prompt: string): string
  /**
   * Returns a random reply to a prompt: good, bad or illegal. In a game of two players, some
   * replies must be legal. The sequence of its draws is part of the contract, because golden
   * episodes, and so the specHash, depend on it.
   */
  guess(prompt: string, random: Generator): string
  readonly explain?: Explanation<Observation, Action>
}

/**
 * An environment of two players, who take turns. The winner receives the highest reward, the loser
 * the lowest. Observations show whose turn it is. Prompts contain no text by the other player.
 * Protocol §3.1.
 */
export interface GameDefinition<State, Observation, Action>
  extends Omit<Definition<State, Observation, Action>, 'step'> {
  /** Maximum total time for a side's replies in milliseconds. The sampler enforces it. */
  readonly clockMs: number
  /**
   * Returns the state after the mover's action and whether the mover has won, or null if the action
   * is illegal. One player must have won after `maxSteps` replies of both players in total.
   */
  step(state: State, action: Action, random: Generator): { state: State; won: boolean } | null
}

type EpisodeRules = Pick<Definition<unknown, unknown, unknown>, 'initial' | 'step'>

/**
 * The rules of a game of two players, with erased types. The first draw of a challenge, outside
 * these rules, selects the side that moves first. A step that wins earns the mover the highest
 * reward and ends the episode; any other step earns 0.
 */
export interface GameRules extends EpisodeRules {
  readonly clockMs: number
  /** Returns the game for one player, against the scripted player at a strength from 0 to 1. */
  against(strength: number): EpisodeRules
}

/**
 * A definition with erased types, its exact id, `name@version`, and the hash of its behaviour. An
 * environment of two players has the rules for both in `game`; its `initial` and `step` are the
 * game for one player, against the scripted player `solve`.
 */
export type EnvSpec = Definition<unknown, unknown, unknown> & {
  readonly id: string
  readonly game?: GameRules
  specHash(): Hash
}
