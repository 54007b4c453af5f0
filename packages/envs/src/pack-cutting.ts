import type { Generator } from '@affine/prng'

export const BOX_WIDTH = 60
export const BOX_HEIGHT = 40

/** A side below this length is not cut, if the rectangle has a longer side. */
const SHORT = 6
const COUNTS = [8, 12, 16, 24, 32]

/** A rectangle in the box: x from the left, y from the top, width, height. */
export type Placement = readonly [x: number, y: number, width: number, height: number]

/** The sides of a piece in the orientation in which it is listed. */
export type PieceSides = readonly [width: number, height: number]

/** A challenge: the list of pieces, and the position of each in the box that was cut. */
export interface CutBox {
  readonly pieces: readonly PieceSides[]
  readonly cutting: readonly Placement[]
}

/** Draws the box cut into 8 to 32 pieces, in random order, some turned. Protocol §3.8. */
export function cutBox(random: Generator): CutBox {
  const count = COUNTS[random.integers(0, COUNTS.length)] ?? 0
  const list: Placement[] = [[0, 0, BOX_WIDTH, BOX_HEIGHT]]
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
  const pieces = list.map(([, , width, height]): PieceSides => {
    const isTurned = random.integers(0, 2) === 1
    return isTurned ? [height, width] : [width, height]
  })
  return { pieces, cutting: list }
}

/**
 * Returns the index of the rectangle over a random square or, if both its sides are short, of the
 * largest rectangle.
 */
function chooseIndex(list: readonly Placement[], random: Generator): number {
  const [x, y] = [random.integers(0, BOX_WIDTH), random.integers(0, BOX_HEIGHT)]
  const drawn = list.findIndex(
    ([left, top, width, height]) => x >= left && x < left + width && y >= top && y < top + height,
  )
  const [, , width = 0, height = 0] = list[drawn] ?? []
  if (width >= SHORT || height >= SHORT) return drawn
  const areas = list.map(([, , wide, high]) => wide * high)
  return areas.indexOf(Math.max(...areas))
}

/** Returns a rectangle cut in two or five. The first part replaces the rectangle in the list. */
function cut(
  rectangle: Placement,
  canCutInFive: boolean,
  random: Generator,
): readonly [Placement, ...Placement[]] {
  const [x, y, width, height] = rectangle
  const isLarge = width >= SHORT && height >= SHORT
  if (isLarge && canCutInFive && random.integers(0, 4) === 0) return cutInFive(rectangle, random)
  const isReversed = isLarge && random.integers(0, 4) === 0
  const isAcross = width >= height !== isReversed
  const length = drawPart(isAcross ? width : height, random)
  if (isAcross)
    return [
      [x, y, length, height],
      [x + length, y, width - length, height],
    ]
  return [
    [x, y, width, length],
    [x, y + length, width, height - length],
  ]
}

/** Draws the length of the first part. Each is at least 2 and floor(side / 5) long. */
function drawPart(side: number, random: Generator): number {
  const min = Math.max(2, Math.floor(side / 5))
  return random.integers(min, side - min + 1)
}

/** Returns five parts: four around the last, so that no straight cut separates them. */
function cutInFive(
  [x, y, width, height]: Placement,
  random: Generator,
): readonly [Placement, ...Placement[]] {
  const a = random.integers(2, width - 3)
  const c = random.integers(a + 2, width - 1)
  const b = random.integers(2, height - 3)
  const d = random.integers(b + 2, height - 1)
  return [
    [x, y, c, b],
    [x + c, y, width - c, d],
    [x + a, y + d, width - a, height - d],
    [x, y + b, a, height - b],
    [x + a, y + b, c - a, d - b],
  ]
}
