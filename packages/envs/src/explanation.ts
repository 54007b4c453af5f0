/** The turn that ended an episode: its action, and the observations before and after it. */
export interface LastTurn<Observation, Action> {
  readonly before: Observation
  readonly action: Action
  readonly after: Observation
  /** Reward of the whole episode. */
  readonly reward: number
}

/**
 * Explanations of an environment for people. None affects a result or the specHash. The functions
 * take observations, from `observe`, and actions, from `parse`.
 */
export interface Explanation<Observation, Action> {
  /** Name of the task, as "tic-tac-toe" in "models compete at tic-tac-toe". */
  readonly title?: string
  /** Returns an observation as lines of text. */
  draw?(observation: Observation): readonly string[]
  /**
   * Returns an observation as a picture, with the effect of `action`, legal or illegal, if it is
   * given. Undefined without an action if the environment has pictures only of actions' effects.
   */
  picture?(observation: Observation, action?: Action): Picture | undefined
  /** Returns the best actions. If omitted, people are shown the reply of `solve`. */
  best?(observation: Observation): readonly Action[]
  /** Returns the episode's reward after an action, if all later actions are perfect. */
  worth?(observation: Observation, action: Action): number
  /** Returns a result of `worth` in words, as "a draw". */
  worthText?(worth: number): string
  /** Returns the mover and its goal, as "X, and joins row A with row G". */
  role?(observation: Observation): string
  /**
   * Returns why the scripted player expects the mover of a game of two players to lose. Undefined
   * if it does not expect that.
   */
  whyGivenUp?(observation: Observation): string | undefined
  /** Returns the reason for the result of an episode that did not end with a forfeit. */
  ending?(last: LastTurn<Observation, Action>): string
}

/** An observation as shapes on a plane, drawn in order. Sizes and corners have the same unit. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly shapes: readonly PictureShape[]
}

export interface PictureShape {
  /**
   * Selects the colour. `first` and `second` are cells of the first and the second player. `first`
   * is also a piece that earns its area. `wrong` is a piece that earns nothing, or a wrong digit.
   */
  readonly kind: 'empty' | 'first' | 'second' | 'first-side' | 'second-side' | 'label' | 'wrong'
  /** Alternating x and y of the corners. A label may have one corner, the place of its text. */
  readonly corners: readonly number[]
  /** Text in the middle. */
  readonly text?: string
  /** Description in words, as "B2 X". */
  readonly says?: string
  /** Whether the shape is part of the deciding line or chain. */
  readonly isMarked?: boolean
  /** The action that plays on the cell that the shape shows. Undefined for other shapes. */
  readonly action?: number
}

/** Returns the corners of an upright rectangle. */
export const rectangle = (
  x: number,
  y: number,
  width: number,
  height: number,
): readonly number[] => [x, y, x + width, y, x + width, y + height, x, y + height]
