/** The reply that ended an episode: what was observed before it, what it was, and what followed. */
export interface LastTurn<Observation, Action> {
  readonly before: Observation
  readonly action: Action
  readonly after: Observation
  /** Of the whole episode. */
  readonly reward: number
}

/**
 * What people are told of an environment besides its prompts. All of it is optional, none of it
 * decides anything, and no specHash is made of it. Its functions get what `observe` gives and
 * actions that `parse` has read.
 */
export interface Explanation<Observation, Action> {
  /** What is played, as "tic-tac-toe" in "models compete at tic-tac-toe". */
  readonly title?: string
  /** An observation as lines of text. */
  draw?(observation: Observation): readonly string[]
  /** An observation as a picture, or what an action made of it, where only that can be seen. */
  picture?(observation: Observation, action?: Action): Picture | undefined
  /** The best actions, where they are known; without it people are told what `solve` replies. */
  best?(observation: Observation): readonly Action[]
  /** What an episode is still rewarded with after an action, if all that follows is perfect. */
  worth?(observation: Observation, action: Action): number
  /** Such a reward in words, as "a draw". */
  worthText?(worth: number): string
  /** Does the scripted player think that the mover of a game of two loses? */
  isGivenUp?(observation: Observation): boolean
  /** Why an episode that was not forfeited ended as it did, and lines that show it. */
  ending?(last: LastTurn<Observation, Action>): Outcome
}

/** Why an episode ended as it did, and lines of text that show it. */
export interface Outcome {
  readonly why: string
  readonly shown: readonly string[]
}

/** Shapes on a plane, drawn in their order: an observation as a page shows it. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly shapes: readonly PictureShape[]
}

export interface PictureShape {
  /** What a page colours it by: the first and the second player's, or what counts and what not. */
  readonly kind: 'empty' | 'first' | 'second' | 'first-side' | 'second-side' | 'label' | 'wrong'
  /** x and y of each corner in turn. */
  readonly corners: readonly number[]
  /** What is written in its middle. */
  readonly text?: string
  /** What it shows, in words, as "B2 X". */
  readonly says?: string
  /** It is part of what decided. */
  readonly isMarked?: boolean
  /** The action that takes it, or took it. */
  readonly action?: number
}

/** Returns the corners of an upright rectangle, from its top left corner, width and height. */
export const rectangle = (
  x: number,
  y: number,
  width: number,
  height: number,
): readonly number[] => [x, y, x + width, y, x + width, y + height, x, y + height]
