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
  /** The line that takes it, if it is still to be taken. */
  readonly reply?: string
}

/** The corners of an upright rectangle: its top left one, its width and height. */
export const rectangle = ([
  x = 0,
  y = 0,
  width = 0,
  height = 0,
]: readonly number[]): readonly number[] => [
  ...[x, y],
  ...[x + width, y],
  ...[x + width, y + height],
  ...[x, y + height],
]
