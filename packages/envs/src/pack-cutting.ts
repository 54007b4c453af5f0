import type { Generator } from '@affine/prng'

export const BOX_WIDTH = 60
export const BOX_HEIGHT = 40

/** A side below this length is cut only if no side of its rectangle is longer. */
const SHORT = 6
const COUNTS = [8, 12, 16, 24, 32]

/** The sides of a piece in the orientation in which it is listed. */
export type PieceSides = Readonly<Record<'width' | 'height', number>>

/** A rectangle in the box: x from the left, y from the top. */
export type Placement = PieceSides & Readonly<Record<'x' | 'y', number>>

/** A challenge: the list of pieces, and the position of each in the box that was cut. */
export interface CutBox {
  readonly pieces: readonly PieceSides[]
  readonly cutting: readonly Placement[]
}

/** Draws the box cut into 8 to 32 pieces, in random order, some turned. Protocol §3.8. */
export function cutBox(random: Generator): CutBox {
  const count = COUNTS[random.integers(0, COUNTS.length)] ?? 0
  const list: Placement[] = [{ x: 0, y: 0, width: BOX_WIDTH, height: BOX_HEIGHT }]
  while (list.length < count) {
    const at = chooseIndex(list, random)
    const canCutInFive = list.length + 4 <= count
    const [first, ...rest] = cut(list[at] as Placement, canCutInFive, random)
    list[at] = first
    list.push(...rest)
  }
  for (let i = count - 1; i > 0; i--) {
    const j = random.integers(0, i + 1)
    const item = list[i] as Placement
    list[i] = list[j] as Placement
    list[j] = item
  }
  const pieces = list.map((piece) => (random.integers(0, 2) === 1 ? turn(piece) : piece))
  return { pieces, cutting: list }
}

export const turn = ({ width, height }: PieceSides): PieceSides => ({
  width: height,
  height: width,
})

/**
 * Returns the index of the rectangle over a random square or, if both its sides are short, of the
 * largest rectangle.
 */
function chooseIndex(list: readonly Placement[], random: Generator): number {
  const [x, y] = [random.integers(0, BOX_WIDTH), random.integers(0, BOX_HEIGHT)]
  const drawn = list.findIndex((each) => isOverlapping(each, { x, y, width: 1, height: 1 }))
  const { width = 0, height = 0 } = list[drawn] ?? {}
  if (width >= SHORT || height >= SHORT) return drawn
  const areas = list.map(computeArea)
  return areas.indexOf(Math.max(...areas))
}

export const computeArea = ({ width, height }: PieceSides): number => width * height

export function isOverlapping(a: Placement, b: Placement): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/** Returns a rectangle cut in two or five. The first part replaces the rectangle in the list. */
function cut(
  whole: Placement,
  canCutInFive: boolean,
  random: Generator,
): readonly [Placement, ...Placement[]] {
  const { x, y, width, height } = whole
  const isLarge = width >= SHORT && height >= SHORT
  if (isLarge && canCutInFive && random.integers(0, 4) === 0) return cutInFive(whole, random)
  const isReversed = isLarge && random.integers(0, 4) === 0
  const isAcross = width >= height !== isReversed
  const part = drawPart(isAcross ? width : height, random)
  return isAcross
    ? [
        { x, y, width: part, height },
        { x: x + part, y, width: width - part, height },
      ]
    : [
        { x, y, width, height: part },
        { x, y: y + part, width, height: height - part },
      ]
}

/**
 * Draws the length of the first part. Both parts are at least 2 and at least floor(side / 5) long.
 */
function drawPart(side: number, random: Generator): number {
  const min = Math.max(2, Math.floor(side / 5))
  return random.integers(min, side - min + 1)
}

/** Returns five parts: four around the last, so that no straight cut separates them. */
function cutInFive(
  { x, y, width, height }: Placement,
  random: Generator,
): readonly [Placement, ...Placement[]] {
  const a = random.integers(2, width - 3)
  const c = random.integers(a + 2, width - 1)
  const b = random.integers(2, height - 3)
  const d = random.integers(b + 2, height - 1)
  return [
    { x, y, width: c, height: b },
    { x: x + c, y, width: width - c, height: d },
    { x: x + a, y: y + d, width: width - a, height: height - d },
    { x, y: y + b, width: a, height: height - b },
    { x: x + a, y: y + b, width: c - a, height: d - b },
  ]
}
